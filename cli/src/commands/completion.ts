import type { Handler } from "../command.js";
import { write } from "../io.js";
import type { Specs } from "../specs.js";

// Without suggestions from ci, the shells complete file names.
const scripts: Readonly<Record<string, string>> = {
  bash: `# In ~/.bashrc: source <(ci completion bash)
_ci() {
  COMPREPLY=()
  local word
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(ci __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _ci ci
`,
  zsh: `#compdef ci
# In ~/.zshrc, after compinit: source <(ci completion zsh)
# Or as the file _ci in a folder of fpath.
_ci() {
  local -a found
  found=(\${(f)"$(ci __complete -- "\${(@Q)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)"})
  if (( $#found )); then compadd -a found; else _files; fi
}
if [[ $funcstack[1] == _ci ]]; then _ci; else compdef _ci ci; fi
`,
  fish: `# In ~/.config/fish/config.fish: ci completion fish | source
function __ci_words
    set -l words (commandline -opc) (commandline -ct)
    ci __complete -- $words[2..-1] 2>/dev/null
end
complete -c ci -a '(__ci_words)'
`,
};

export const run: Handler<Specs["completion"]> = async (io, { shell }) => {
  await write(io, scripts[shell]!);
};
