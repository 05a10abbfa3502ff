package group

// Check is check, for the tests that see the package from outside.
var Check = check
