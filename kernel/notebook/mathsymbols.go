package notebook

import "strings"

// underOver holds the operators whose scripts stand below and above in displayed formulas.
var underOver = set(`\sum \prod \bigcup \bigcap \bigoplus \lim \max \min \sup \inf \limsup \liminf \argmax \argmin \operatorname*`)

func set(names string) map[string]bool {
	m := map[string]bool{}
	for _, n := range strings.Fields(names) {
		m[n] = true
	}
	return m
}

// pairs reads "\name symbol \name symbol ...".
func pairs(s string) map[string]string {
	m := map[string]string{}
	f := strings.Fields(s)
	for i := 0; i+1 < len(f); i += 2 {
		m[f[i]] = f[i+1]
	}
	return m
}

var texLetters = pairs(`\alpha α \beta β \gamma γ \delta δ \epsilon ϵ \varepsilon ε \zeta ζ \eta η \theta θ \vartheta ϑ
	\iota ι \kappa κ \lambda λ \mu μ \nu ν \xi ξ \pi π \varpi ϖ \rho ρ \varrho ϱ \sigma σ \varsigma ς \tau τ \upsilon υ
	\phi ϕ \varphi φ \chi χ \psi ψ \omega ω \ell ℓ \hbar ℏ \imath ı \jmath ȷ`)

var texCapitals = pairs(`\Gamma Γ \Delta Δ \Theta Θ \Lambda Λ \Xi Ξ \Pi Π \Sigma Σ \Upsilon Υ \Phi Φ \Psi Ψ \Omega Ω
	\infty ∞ \partial ∂ \nabla ∇ \emptyset ∅ \varnothing ∅ \Re ℜ \Im ℑ \aleph ℵ \top ⊤ \bot ⊥ \ldots … \dots … \cdots ⋯
	\vdots ⋮ \ddots ⋱ \dotsc … \dotsb ⋯ \% % \# # \$ $ \_ _`)

var texOperators = pairs(`\cdot ⋅ \times × \div ÷ \pm ± \mp ∓ \ast ∗ \star ⋆ \circ ∘ \bullet ∙ \oplus ⊕ \otimes ⊗ \odot ⊙
	\le ≤ \leq ≤ \ge ≥ \geq ≥ \ne ≠ \neq ≠ \ll ≪ \gg ≫ \approx ≈ \sim ∼ \simeq ≃ \cong ≅ \equiv ≡ \propto ∝ \doteq ≐
	\in ∈ \notin ∉ \ni ∋ \subset ⊂ \subseteq ⊆ \supset ⊃ \supseteq ⊇ \cup ∪ \cap ∩ \setminus ∖ \land ∧ \wedge ∧ \lor ∨ \vee ∨
	\lnot ¬ \neg ¬ \forall ∀ \exists ∃ \mid ∣ \parallel ∥ \perp ⊥
	\to → \rightarrow → \leftarrow ← \gets ← \leftrightarrow ↔ \Rightarrow ⇒ \Leftarrow ⇐ \Leftrightarrow ⇔ \implies ⟹ \iff ⟺
	\mapsto ↦ \longrightarrow ⟶ \longmapsto ⟼ \uparrow ↑ \downarrow ↓ \hookrightarrow ↪
	\sum ∑ \prod ∏ \int ∫ \iint ∬ \oint ∮ \bigcup ⋃ \bigcap ⋂ \bigoplus ⨁
	\langle ⟨ \rangle ⟩ \lfloor ⌊ \rfloor ⌋ \lceil ⌈ \rceil ⌉ \lvert | \rvert | \lVert ‖ \rVert ‖ \vert | \Vert ‖ \| ‖
	\{ { \} } \lbrace { \rbrace } \colon : \prime ′ \dagger † \top ⊤ \backslash \ \& & \coloneqq ≔`)

var texFunctions = strings.Fields(`\sin \cos \tan \sinh \cosh \tanh \arcsin \arccos \arctan \exp \log \ln \lg \lim \max \min \sup
	\inf \limsup \liminf \argmax \argmin \det \dim \ker \deg \gcd \Pr \arg \rank`)

var texFunctionNames = strings.NewReplacer("argmax", "arg max", "argmin", "arg min", "limsup", "lim sup", "liminf", "lim inf")

var texSpaces = map[string]string{
	`\,`: "0.17em", `\:`: "0.22em", `\;`: "0.28em", `\!`: "-0.17em", `\ `: "0.33em", `\quad`: "1em", `\qquad`: "2em", `\>`: "0.22em",
}

var texAccents = pairs(`\hat ^ \widehat ^ \bar ¯ \overline ¯ \tilde ~ \widetilde ~ \dot ˙ \ddot ¨ \vec → \check ˇ \breve ˘ \overrightarrow →`)

// alphabet maps letters and digits to the mathematical alphabets of Unicode; what has no form
// there stays. Some letters had a place of their own before the alphabets came.
func alphabet(command, s string) string {
	var b strings.Builder
	for _, r := range s {
		if old, ok := olderForms[command][r]; ok {
			b.WriteRune(old)
			continue
		}
		upper, lower, digit := rune(0), rune(0), rune(0)
		switch command {
		case `\mathbb`:
			upper, lower, digit = 0x1D538, 0x1D552, 0x1D7D8
		case `\mathcal`:
			upper, lower = 0x1D49C, 0x1D4B6
		case `\mathbf`:
			upper, lower, digit = 0x1D400, 0x1D41A, 0x1D7CE
		}
		switch {
		case r >= 'A' && r <= 'Z' && upper != 0:
			r += upper - 'A'
		case r >= 'a' && r <= 'z' && lower != 0:
			r += lower - 'a'
		case r >= '0' && r <= '9' && digit != 0:
			r += digit - '0'
		}
		b.WriteRune(r)
	}
	return b.String()
}

var olderForms = map[string]map[rune]rune{
	`\mathbb`:  {'C': 'ℂ', 'H': 'ℍ', 'N': 'ℕ', 'P': 'ℙ', 'Q': 'ℚ', 'R': 'ℝ', 'Z': 'ℤ'},
	`\mathcal`: {'B': 'ℬ', 'E': 'ℰ', 'F': 'ℱ', 'H': 'ℋ', 'I': 'ℐ', 'L': 'ℒ', 'M': 'ℳ', 'R': 'ℛ', 'e': 'ℯ', 'g': 'ℊ', 'o': 'ℴ'},
}
