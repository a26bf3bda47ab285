#!/usr/bin/env bash
# The download script against a server of its own: what is wrong or cut is refused, what was begun
# goes on. Whole downloads are tried where $QKVLAB_DATA holds the real files.
REPOSITORY=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/common.sh"
command -v python3 >/dev/null || skip "needs python3"
command -v curl >/dev/null || skip "needs curl"

REAL=${QKVLAB_DATA:-}
unset QKVLAB_DATA

# A file server that knows ranges, logs them, and cuts the first answer of *.cut short.
cat >server.py <<'EOF'
import http.server, os, re
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        path = "." + self.path
        if not os.path.isfile(path):
            return self.send_error(404)
        data = open(path, "rb").read()
        match = re.match(r"bytes=(\d+)-$", self.headers.get("Range", ""))
        first = int(match.group(1)) if match else 0
        if first and first >= len(data):
            return self.send_error(416)
        self.send_response(206 if match else 200)
        if match:
            self.send_header("Content-Range", f"bytes {first}-{len(data) - 1}/{len(data)}")
        self.send_header("Content-Length", str(len(data) - first))
        self.end_headers()
        open("log", "a").write(f"{self.path} {first}\n")
        cut = os.path.exists(path + ".cut")
        if cut:
            os.remove(path + ".cut")
        self.wfile.write(data[first:first + (len(data) - first) // 2] if cut else data[first:])
    def log_message(self, *rest):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
open("port.new", "w").write(str(server.server_port))
os.rename("port.new", "port")
server.serve_forever()
EOF
mkdir served
(cd served && exec python3 ../server.py) &
SERVER=$!
trap 'kill $SERVER 2>/dev/null; rm -rf "$WORK"' EXIT
wait_for "the server" test -s served/port
URL=http://127.0.0.1:$(cat served/port)

# shellcheck disable=SC2034 # they are read in common.sh
fetch() {
  COMMAND="fetch_data.sh $*"
  "$REPOSITORY/scripts/fetch_data.sh" --dir "$WORK/data" --base-url "$URL" "$@" >"$OUT" 2>"$ERR" </dev/null
  STATUS=$?
}

# nothing FOLDER: no file is left, finished or not.
expect_nothing() {
  [ -z "$(find "$WORK/data" -type f 2>/dev/null)" ] || fail "left: $(find "$WORK/data" -type f)"
}

fetch nist
expect_status 1
expect_err "unknown data set 'nist'"
fetch
expect_status 2
expect_err "Usage:"

fetch mnist
expect_status 1
expect_err "could not be downloaded"
expect_nothing

mkdir -p served/mnist served/cifar10 served/cifar100 served/tinyimagenet
echo "<html>moved</html>" >served/mnist/train-images-idx3-ubyte.gz
fetch mnist
expect_status 1
expect_err "is not the published file"
expect_nothing
head -c 5000 /dev/zero | gzip >served/mnist/train-images-idx3-ubyte.gz
fetch mnist
expect_status 1
expect_err "is not the published file"
expect_nothing

mkdir -p cifar-10-batches-bin
for i in 1 2 3 4 5; do echo wrong >cifar-10-batches-bin/data_batch_$i.bin; done
echo wrong >cifar-10-batches-bin/test_batch.bin
tar -czf served/cifar10/cifar-10-binary.tar.gz cifar-10-batches-bin
fetch cifar10
expect_status 1
expect_err "is not the published archive"
expect_nothing
echo wrong >served/tinyimagenet/tiny-imagenet-200.zip
fetch tinyimagenet
expect_status 1
expect_nothing
[ -z "$(find "$WORK/data" -name '.unpack*')" ] || fail "no unpacked folder is left"

if [ -f "$REAL/mnist/train-images-idx3-ubyte.gz" ]; then
  cp "$REAL"/mnist/*.gz served/mnist/
  : >served/log
  touch served/mnist/train-images-idx3-ubyte.gz.cut
  fetch mnist
  expect_status 0
  expect_err "mnist is complete in $WORK/data"
  grep -qE '^/mnist/train-images-idx3-ubyte.gz [1-9]' served/log || fail "the download was continued"
  [ -z "$(find data -name '*.part*')" ] || fail "no part is left"
  run data check mnist --data "$WORK/data"
  expect_status 0
  expect_no_err
  : >served/log
  fetch mnist
  expect_status 0
  [ ! -s served/log ] || fail "what is there is not downloaded again"
  chmod u+w data/MNIST/raw/t10k-labels-idx1-ubyte.gz
  head -c 3000 "$REAL/mnist/t10k-labels-idx1-ubyte.gz" >data/MNIST/raw/t10k-labels-idx1-ubyte.gz
  fetch mnist
  expect_status 0
  [ "$(wc -l <served/log)" -eq 1 ] || fail "only the damaged file is downloaded again"
  # a server that has less of it: refused, and the good file stays
  chmod -R u+w served
  head -c 100000 "$REAL/mnist/train-images-idx3-ubyte.gz" >served/mnist/train-images-idx3-ubyte.gz
  rm -f data/MNIST/raw/train-images-idx3-ubyte.gz
  fetch mnist
  expect_status 1
  expect_err "is not the published file"
  [ ! -e data/MNIST/raw/train-images-idx3-ubyte.gz ] || fail "a cut file is not kept"
fi
