# A model is asked at an endpoint that always gives the same answer; no episode may be an error of the infrastructure.
cat > endpoint.py <<'P'
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

REPLY = {
    "id": "1", "object": "chat.completion", "created": 1, "model": "scripted",
    "choices": [{
        "index": 0, "finish_reason": "stop",
        "message": {"role": "assistant", "content": "<final_answer>I don't know.</final_answer>"},
    }],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
}


class Endpoint(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        body = json.dumps(REPLY).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
open("port.part", "w").write(str(server.server_port))
__import__("os").rename("port.part", "port")
server.serve_forever()
P
python endpoint.py &
trap "kill $!" EXIT
until [ -e port ]; do sleep 0.1; done
export SCRIPTED_BASE_URL=http://127.0.0.1:$(cat port)/v1 SCRIPTED_API_KEY=none
model=openai-api/scripted/scripted
planbench-xl run --world mini --model $model --limit 2 --out asked --quiet
test "$(grep -c '"status":"failure"' asked/episodes.jsonl)" = 2
inspect eval planbench_xl/mini --model $model --limit 2 --display none -T out=evaluated
test "$(grep -c '"status":"failure"' evaluated/episodes.jsonl)" = 2
planbench-xl score logs/*.eval
