" Made by editors/make from the tables of the compiler.
if exists("b:current_syntax")
  finish
endif
syn case match
syn keyword nsmDeclare param state coord multiplier algebraic node input discrete output var body material
syn keyword nsmItem import function model flow kinetic potential dissipation force relation contact constraint for every
syn keyword nsmItem when gravity pair simulate expect assert draw plot fit analyse analyze stop fail
syn keyword nsmOperator if then else sum and or not in perp to offset with
syn keyword nsmFunction sqrt exp log sin cos tan asin acos atan atan2 turned sinh cosh tanh abs sign floor min max der
syn keyword nsmFunction dot norm cross transpose rotation identity table spline delay given
syn keyword nsmLaw newton poisson binary lzb inelastic elastic coulomb contensou rolling scleronomous rheonomous type1
syn keyword nsmLaw type2 moreau midpoint consistent consistent1 consistent_explicit_mass d1minus schatzman_paoli radau
syn keyword nsmLaw event_driven sphere box capsule cylinder halfspace convex disk rectangle polygon halfplane union
syn keyword nsmConstant none pi inf time ground energy problems true false
syn match nsmFunction /\<\(sgn\|normal_cone\|graph\|final\|initial\|mean\|drift\|gain\)\>\ze\s*(/
syn match nsmFunction /\<\(at\|events\|first\|last\|line\|circle\|spring\|damper\)\>\ze\s*(/
syn match nsmFunction /\<\(trail\|arrow\|text\)\>\ze\s*(/
syn match nsmPart /\<\(normal\|normal_force\|slip\|between\|among\|with\|until\|start\)\>\ze\s*=/
syn match nsmPart /\<\(step\|scheme\|solver\|tolerance\|project_start\|accept\|mass\|inertia\)\>\ze\s*=/
syn match nsmPart /\<\(position\|attitude\|velocity\|spin\|shape\|density\|material\|fixed\)\>\ze\s*=/
syn match nsmPart /\<\(driven\|rtol\|atol\|stages\|order\|projection\|located\|theta\)\>\ze\s*=/
syn match nsmPart /\<\(gamma\|e\|e_t\|mu\|radius\|mu_r\|ratio\|exponent\)\>\ze\s*=/
syn match nsmPart /\<\(exact\|periodic\|data\|match\|vary\|each\|prior\|loss\)\>\ze\s*=/
syn match nsmPart /\<\(starts\|seed\|profile\|sigma\|log\|equilibrium\|linear\|modes\)\>\ze\s*=/
syn match nsmPart /\<\(steady\|stable\|period\|inputs\|outputs\|bode\|frequencies\|decades\)\>\ze\s*=/
syn match nsmPart /\<\(section\|hit\|up\|down\|bifurcation\|values\|follow\|lyapunov\)\>\ze\s*=/
syn match nsmPart /\<\(settle\|points\|from\|hold\|refine\)\>\ze\s*=/
syn match nsmNumber /\<\d\+\(\.\d*\)\?\([eE][+-]\?\d\+\)\?/ nextgroup=nsmUnit skipwhite
syn match nsmNumber /\.\d\+\([eE][+-]\?\d\+\)\?/ nextgroup=nsmUnit skipwhite
syn match nsmUnit /\[[^][;]*\]/ contained
syn match nsmUnit /\(\]\s\+\)\@<=\[[^][;]*\]/
syn region nsmString start=/"/ skip=/\\./ end=/"\|$/
syn match nsmComment +//.*$+ contains=@Spell
syn region nsmComment start=+/\*+ end=+\*/+ contains=@Spell
syn sync ccomment nsmComment
hi def link nsmDeclare Type
hi def link nsmItem Statement
hi def link nsmOperator Operator
hi def link nsmFunction Function
hi def link nsmLaw Special
hi def link nsmConstant Constant
hi def link nsmPart Identifier
hi def link nsmNumber Number
hi def link nsmUnit PreProc
hi def link nsmString String
hi def link nsmComment Comment
let b:current_syntax = "nsm"
