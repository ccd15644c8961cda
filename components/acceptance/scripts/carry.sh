#!/bin/sh
set -eu
mkdir -p "$2/bin" "$2/lib"
found=$(command -v "$1")
cp -L "$found" "$2/lib/$1.real"
ldd "$found" | tr -s '[:blank:]' '\n' | grep '^/' | sort -u | while read -r library; do
    cp -L "$library" "$2/lib/"
done
loader=$(cd "$2/lib" && ls | grep '^ld-' | head -n 1)
printf '#!/bin/sh\nexec "%s/lib/%s" --library-path "%s/lib" "%s/lib/%s.real" "$@"\n' \
    "$2" "$loader" "$2" "$2" "$1" >"$2/bin/$1"
chmod 0755 "$2/bin/$1" "$2/lib/$loader"
