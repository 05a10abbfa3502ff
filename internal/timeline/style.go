package timeline

import "fmt"

// style colours text, if it is to be coloured.
type style struct {
	on      bool
	members map[string]int // palette index by name, in order of appearance
}

// palette holds the colours of members. Red and green are left to what went wrong and right.
var palette = []int{36, 33, 35, 34, 96, 93, 95, 94}

// maxColours bounds the names that are remembered; the rest of a very large group shares its colours.
const maxColours = 1000

func (s *style) paint(code int, text string) string {
	if !s.on || text == "" {
		return text
	}
	return fmt.Sprintf("\x1b[%dm%s\x1b[0m", code, text)
}

func (s *style) bold(text string) string  { return s.paint(1, text) }
func (s *style) dim(text string) string   { return s.paint(2, text) }
func (s *style) red(text string) string   { return s.paint(31, text) }
func (s *style) green(text string) string { return s.paint(32, text) }

// member paints text in the colour of a member.
func (s *style) member(name, text string) string {
	index, ok := s.members[name]
	if !ok {
		index = len(s.members)
		if index < maxColours {
			s.members[name] = index
		}
	}
	return s.paint(palette[index%len(palette)], text)
}
