# Directories of fetched packages, kept outside of the checkout for the next one. Sourced, never run.

# kept_tree DIRECTORY LOCK COMMAND...: empties the directory (an absolute path) and fills it: from the cache if an earlier run kept the
# same directory for the same LOCK, a file that pins its content; else by the command, whose result is kept. Trees that no run has used for
# 30 days are removed.
kept_tree() {
  local directory=$1 archive
  archive=$(cache_directory trees)/$(basename "$directory")-$( (printf '%s\n' "$directory" && cat "$2") | sha256sum | cut -c1-32).tar
  shift 2
  mkdir -p "$directory"
  find "$directory" -mindepth 1 -delete
  if [[ -e $archive ]]; then
    tar --extract --file "$archive" --directory "$directory"
    touch "$archive"
  else
    "$@"
    tar --create --file "$archive.$$" --directory "$directory" .
    mv "$archive.$$" "$archive"
    find "${archive%/*}" -name '*.tar*' -mtime +30 -delete
  fi
}
