package generic

import (
	"crypto/hkdf"
	"crypto/pbkdf2"
	"hash"
	"reflect"
)

// newHash gives a function that makes hashes of whatever type as one that makes hash.Hash.
func newHash(h any) func() hash.Hash {
	if f, ok := h.(func() hash.Hash); ok {
		return f
	}
	v := reflect.ValueOf(h)
	return func() hash.Hash { return v.Call(nil)[0].Interface().(hash.Hash) }
}

func hkdfExpand(h any, key []byte, info string, length int) ([]byte, error) {
	return hkdf.Expand(newHash(h), key, info, length)
}

func hkdfExtract(h any, secret, salt []byte) ([]byte, error) {
	return hkdf.Extract(newHash(h), secret, salt)
}

func hkdfKey(h any, secret, salt []byte, info string, length int) ([]byte, error) {
	return hkdf.Key(newHash(h), secret, salt, info, length)
}

func pbkdf2Key(h any, password string, salt []byte, iter, length int) ([]byte, error) {
	return pbkdf2.Key(newHash(h), password, salt, iter, length)
}
