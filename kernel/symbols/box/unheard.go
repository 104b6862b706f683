package box

// Ask is what compiled code asks values of an interface for: another interface, as an expression in the scope of
// a package, or the name of a method of that package's own, which a type has that embeds one of the package.
type Ask struct{ Path, Expr string }

// Unheard lists, by interface, what compiled code asks its values for beyond what their wrappers have: a type that
// has it is not put into one, but shown with all its exported methods (see package eval), or refused for one that is not exported. A test
// of the generator compares the list with the source.
var Unheard = map[string][]Ask{
	"crypto/cipher.Block": {
		{"crypto/cipher", "interface{ NewCBCEncrypter([]byte) BlockMode }"},
		{"crypto/cipher", "interface{ NewCBCDecrypter([]byte) BlockMode }"},
		{"crypto/cipher", "interface{ NewCTR([]byte) Stream }"},
		{"crypto/cipher", "interface{ NewGCM(nonceSize, tagSize int) (AEAD, error) }"},
	},
	"crypto/elliptic.Curve": {
		{"math/big", "interface{ Unmarshal([]byte) (x, y *Int); UnmarshalCompressed([]byte) (x, y *Int) }"},
	},
	"database/sql/driver.Conn": {
		{"database/sql/driver", "ConnBeginTx"},
		{"database/sql/driver", "ConnPrepareContext"},
		{"database/sql/driver", "Execer"},
		{"database/sql/driver", "ExecerContext"},
		{"database/sql/driver", "NamedValueChecker"},
		{"database/sql/driver", "Pinger"},
		{"database/sql/driver", "Queryer"},
		{"database/sql/driver", "QueryerContext"},
		{"database/sql/driver", "SessionResetter"},
		{"database/sql/driver", "Validator"},
	},
	"database/sql/driver.Rows": {
		{"database/sql/driver", "RowsColumnTypeDatabaseTypeName"},
		{"database/sql/driver", "RowsColumnTypeLength"},
		{"database/sql/driver", "RowsColumnTypeNullable"},
		{"database/sql/driver", "RowsColumnTypePrecisionScale"},
		{"database/sql/driver", "RowsColumnTypeScanType"},
		{"database/sql/driver", "RowsNextResultSet"},
	},
	"database/sql/driver.Stmt": {
		{"database/sql/driver", "ColumnConverter"},
		{"database/sql/driver", "NamedValueChecker"},
		{"database/sql/driver", "StmtExecContext"},
		{"database/sql/driver", "StmtQueryContext"},
	},
	"expvar.Var": {{"expvar", "appendJSON"}},
	"go/ast.Node": {
		{"go/ast", "declNode"},
		{"go/ast", "specNode"},
		{"go/ast", "stmtNode"},
	},
	"net.Conn": {
		{"net", "PacketConn"},
		{"crypto/tls", "interface{ ConnectionState() ConnectionState }"},
	},
	"net/http.ResponseWriter": {
		{"net/http", "CloseNotifier"},
		{"net/http", "Pusher"},
		{"time", "interface{ FlushError() error }"},
		{"time", "interface{ EnableFullDuplex() error }"},
		{"time", "interface{ SetReadDeadline(Time) error }"},
		{"time", "interface{ SetWriteDeadline(Time) error }"},
	},
	"net/http.RoundTripper": {
		{"net/http", "interface{ CancelRequest(*Request) }"},
	},
	"gonum.org/v1/gonum/graph.Edge": {{"gonum.org/v1/gonum/graph", "Lines"}},
	"gonum.org/v1/gonum/graph.Graph": {
		{"gonum.org/v1/gonum/graph/encoding/dot", "Structurer"},
		{"gonum.org/v1/gonum/graph/layout", "LayoutR2"},
		{"gonum.org/v1/gonum/graph/path", "HeuristicCoster"},
	},
	"gonum.org/v1/gonum/graph.Multigraph": {
		{"gonum.org/v1/gonum/graph/encoding/dot", "MultiStructurer"},
	},
	"gonum.org/v1/gonum/graph.Node": {
		{"gonum.org/v1/gonum/graph/encoding/dot", "MultiSubgrapher"},
	},
	"gonum.org/v1/gonum/mat.Symmetric": {
		{"gonum.org/v1/gonum/stat/distmv", "EigenSym"},
	},
	"trivium/core/amp.Data": {
		{"trivium/core/amp", "epoch"},
	},
	"trivium/core/mgrit.Batches": {
		{"trivium/core/mgrit", "targets"},
	},
	"trivium/core/mgrit.Rule": {
		{"trivium/core/mgrit", "adapt"},
		{"trivium/core/mgrit", "check"},
		{"trivium/core/mgrit", "inside"},
	},
	"trivium/core/nn.Layer": {
		{"trivium/core/nn", "withReLU"},
	},
	"trivium/core/nn.Multiplier": {{"trivium/core/nn", "interface{ Descends() bool }"}},
	"trivium/core/nn.Unit": {
		{"trivium/core/nn", "info"},
		{"trivium/core/nn", "keepsGradient"},
		{"trivium/core/nn", "parts"},
		{"trivium/core/nn", "setKey"},
		{"trivium/core/nn", "setMultiplier"},
	},
}
