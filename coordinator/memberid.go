package coordinator

import (
	"crypto/rand"
	"encoding/hex"
)

// newUUID returns a random UUID in its form of 36 characters, the second part of a member id (G-017).
func newUUID() string {
	var u [16]byte
	rand.Read(u[:]) // never fails
	u[6] = u[6]&0x0f | 0x40
	u[8] = u[8]&0x3f | 0x80
	var text [36]byte
	hex.Encode(text[:8], u[:4])
	hex.Encode(text[9:13], u[4:6])
	hex.Encode(text[14:18], u[6:8])
	hex.Encode(text[19:23], u[8:10])
	hex.Encode(text[24:], u[10:])
	text[8], text[13], text[18], text[23] = '-', '-', '-', '-'
	return string(text[:])
}
