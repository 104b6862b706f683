package dom

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"trivium/kernel/nb"
)

// LoadScriptModuleAndRun loads a script in the page, unless it is there, and runs code when it is.
func LoadScriptModuleAndRun(src string, attributes map[string]string, runJS string) error {
	nb.ShowHTML("<script charset=\"utf-8\">" + loading("", src, attributes, runJS) + "</script>")
	return nil
}

// LoadScriptOrRequireJSModuleAndRun is LoadScriptModuleAndRun for pages that may have RequireJS, as
// exported ones do. The code knows what that has loaded by the name module, which is null without it.
func LoadScriptOrRequireJSModuleAndRun(module, src string, attributes map[string]string, runJS string) error {
	nb.ShowHTML("<script charset=\"utf-8\">" + Loading(module, src, attributes, runJS) + "</script>")
	return nil
}

// LoadScriptOrRequireJSModuleAndRunTransient is the same for a script that is not to be seen.
func LoadScriptOrRequireJSModuleAndRunTransient(module, src string, attributes map[string]string, runJS string) error {
	TransientJavascript(Loading(module, src, attributes, runJS))
	return nil
}

// Loading is the script that [LoadScriptOrRequireJSModuleAndRun] shows.
func Loading(module, src string, attributes map[string]string, runJS string) string {
	path := quote(strings.TrimSuffix(src, ".js"))
	require := fmt.Sprintf("if (typeof requirejs === 'function') { requirejs.config({paths: {%[1]s: %[2]s}}); requirejs([%[1]s], run); return; }\n", quote(module), path)
	return loading(require, src, attributes, runJS)
}

// loading writes a script that runs code when another one is there. A script that several cells ask
// for at once is loaded once, and runs the code of each.
func loading(first, src string, attributes map[string]string, runJS string) string {
	var set strings.Builder
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		fmt.Fprintf(&set, "s.setAttribute(%s, %s); ", quote(name), quote(attributes[name]))
	}
	return fmt.Sprintf(`(function () {
var src = %s;
function run(module) { module = module || null;
%s
}
%svar s = Array.prototype.find.call(document.scripts, function (s) { return s.getAttribute('src') === src; });
if (s && s.loaded !== false) { run(null); return; }
if (!s) { s = document.createElement('script'); s.loaded = false; %ss.setAttribute('src', src); document.head.appendChild(s); }
s.addEventListener('load', function () { s.loaded = true; run(null); });
})();`, quote(src), runJS, first, set.String())
}
