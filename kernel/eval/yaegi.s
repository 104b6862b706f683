// Empty: it lets the compiler accept the functions of yaegi.go, which have no body here.
