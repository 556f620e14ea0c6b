"""The original's client, of Python's standard library only: it sends what that one sends, and takes what that one takes.

Usage: client.py BASE_URL KEY
Reads a request a line, {"call": <name>, ...}, and prints a JSON object a line for each: {"status", ...}, or {"rejected": <why>}
where the original's client would not take the answer.
"""

import gzip
import http.client
import json
import sys
from urllib.parse import quote, urlencode, urlsplit

import shapes

TIMEOUT_SECONDS = 60

CHAT_FIELDS = {
    "model": None,
    "messages": None,
    "stream": True,
    "temperature": None,
    "max_new_tokens": None,
    "conv_uid": None,
    "span_id": None,
    "chat_mode": None,
    "chat_param": None,
    "user_name": None,
    "sys_code": None,
    "incremental": True,
    "enable_vis": True,
}

# What the client drops of a flow: it sends back only what its own classes have.
FLOW_FIELDS = (
    "uid label name flow_category flow_data description state error_message source source_url version define_type editable "
    "user_name sys_code dag_id gmt_created gmt_modified metadata variables authors"
).split()


class Connection:
    def __init__(self, base, key):
        self.address = urlsplit(base)
        self.key = key

    def ask(self, method, path, body=None):
        headers = {"Accept": "*/*", "Accept-Encoding": "gzip, deflate", "Authorization": f"Bearer {self.key}"}
        if body is not None:
            body = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
            headers["Content-Type"] = "application/json"
        connection = http.client.HTTPConnection(
            self.address.hostname, self.address.port, timeout=TIMEOUT_SECONDS
        )
        connection.request(method, path, body, headers)
        return connection.getresponse()


def read(response):
    """The client's HTTP library unpacks what it said it accepts."""
    body = response.read()
    return gzip.decompress(body) if response.getheader("content-encoding") == "gzip" else body


def checked(shape, response):
    value = json.loads(read(response))
    shape(value, "answer")
    return value


# ------------------------------------------------------------------------------------------------------------------- chat


def lines_of(response):
    """The client's HTTP library ends lines wherever Python does, also at U+2028 and its like."""
    for line in response:
        yield from line.decode("utf-8").splitlines()


def chunks_of(response):
    for line in lines_of(response):
        if line.strip() == "data: [DONE]":
            return
        if line.startswith("data:"):
            chunk = json.loads(line[len("data: ") :])
            shapes.CHUNK(chunk, "chunk")
            yield chunk
    raise shapes.Rejected("the stream ended without [DONE]")


def chat(connection, fields, take=None):
    """`take`: how many chunks are read before it hangs up; all by default."""
    body = {**CHAT_FIELDS, **fields}
    response = connection.ask("POST", "/api/v2/chat/completions", body)
    if response.status != 200:
        return {"status": response.status, "error": checked(shapes.FAILURE, response)}
    if not body["stream"]:
        return {"status": 200, "answer": checked(shapes.ANSWER, response)}
    chunks = []
    for chunk in chunks_of(response):
        chunks.append(chunk)
        if len(chunks) == take:
            break
    response.close()
    return {"status": 200, "run": response.getheader("x-weft-run"), "chunks": chunks}


# ------------------------------------------------------------------------------------------------------- apps and flows


def serve(connection, method, path, shape, body=None):
    """The client goes by `success`, whatever the status."""
    response = connection.ask(method, f"/api/v2/serve{path}", body)
    value = json.loads(read(response))
    success = isinstance(value, dict) and value.get("success")
    (shapes.envelope(shape) if success else shapes.FAILURE)(value, "answer")
    return {"status": response.status, **({"data": value["data"]} if success else {"error": value})}


def list_apps(connection):
    return serve(connection, "GET", "/apps", shapes.APP_PAGE)


def get_app(connection, app):
    return serve(connection, "GET", f"/apps/{app}", shapes.APP)


def list_flows(connection, **query):
    asked = urlencode({name: value for name, value in query.items() if value is not None})
    return serve(connection, "GET", f"/awel/flows?{asked}" if asked else "/awel/flows", shapes.FLOW_PAGE)


def get_flow(connection, flow):
    return serve(connection, "GET", f"/awel/flows/{flow}", shapes.FLOW)


def list_nodes(connection):
    return serve(connection, "GET", "/awel/nodes", shapes.many(shapes.NODE_DATA))


def create_flow(connection, flow):
    return serve(connection, "POST", "/awel/flows", shapes.FLOW, known_of_flow(flow))


def update_flow(connection, flow):
    return serve(connection, "PUT", f"/awel/flows/{flow['uid']}", shapes.FLOW, known_of_flow(flow))


def delete_flow(connection, flow):
    return serve(connection, "DELETE", f"/awel/flows/{flow}", shapes.FLOW)


def known_of_flow(flow):
    return without_ours({name: value for name, value in flow.items() if name in FLOW_FIELDS})


def without_ours(value):
    """What the client's classes do not have is gone when it sends a value back."""
    if isinstance(value, list):
        return [without_ours(one) for one in value]
    if isinstance(value, dict):
        return {name: without_ours(one) for name, one in value.items() if name not in ("weft", "custom_label")}
    return value


# -------------------------------------------------------------------------------------------------------------- knowledge

SPACE_FIELDS = ("id", "name", "vector_type", "desc", "owner", "context")
DOCUMENT_FIELDS = ("id", "doc_name", "doc_type", "content", "doc_file", "doc_source", "space_id")
CHUNK_PARAMETERS = {
    "chunk_strategy": None,
    "text_splitter": None,
    "splitter_type": "user_define",
    "chunk_size": 512,
    "chunk_overlap": 50,
    "separator": "\n",
    "enable_merge": None,
}


def create_space(connection, space):
    return serve(connection, "POST", "/knowledge/spaces", shapes.SPACE, filled(SPACE_FIELDS, space))


def update_space(connection, space):
    return serve(connection, "PUT", "/knowledge/spaces", shapes.SPACE, filled(SPACE_FIELDS, space))


def delete_space(connection, space):
    return serve(connection, "DELETE", f"/knowledge/spaces/{space}", shapes.SPACE)


def get_space(connection, space):
    return serve(connection, "GET", f"/knowledge/spaces/{space}", shapes.SPACE)


def list_space(connection):
    return serve(connection, "GET", "/knowledge/spaces", shapes.record({"items": shapes.many(shapes.SPACE)}))


def create_document(connection, document):
    """It sends its fields as query parameters, null as nothing, and no body."""
    query = urlencode({name: value or "" for name, value in filled(DOCUMENT_FIELDS, document).items()})
    return serve(connection, "POST", f"/knowledge/documents?{query}", shapes.DOCUMENT)


def delete_document(connection, document):
    return serve(connection, "DELETE", f"/knowledge/documents/{document}", shapes.DOCUMENT)


def get_document(connection, document):
    return serve(connection, "GET", f"/knowledge/documents/{document}", shapes.DOCUMENT)


def list_document(connection):
    page = shapes.record({"items": shapes.many(shapes.DOCUMENT)})
    return serve(connection, "GET", "/knowledge/documents", page)


def sync_document(connection, document, space, parameters):
    """A list of one, with every field."""
    one = {"doc_id": document, "space_id": space, "model_name": None}
    body = [{**one, "chunk_parameters": {**CHUNK_PARAMETERS, **parameters}}]
    return serve(connection, "POST", "/knowledge/documents/sync", shapes.many(shapes.anything), body)


DATASOURCE = {
    "id": None,
    "db_type": None,
    "db_name": None,
    "db_path": "",
    "db_host": "",
    "db_port": 0,
    "db_user": "",
    "db_pwd": "",
    "comment": "",
}


def create_datasource(connection, source):
    """The newest client sends it; that of v0.5.6 fails before it does."""
    return serve(connection, "POST", "/datasources", shapes.DATASOURCE, {**DATASOURCE, **source})


def update_datasource(connection, source):
    return serve(connection, "PUT", "/datasources", shapes.DATASOURCE, {**DATASOURCE, **source})


def delete_datasource(connection, source):
    return serve(connection, "DELETE", f"/datasources/{source}", shapes.DATASOURCE)


def get_datasource(connection, source):
    return serve(connection, "GET", f"/datasources/{source}", shapes.DATASOURCE)


def list_datasource(connection):
    return serve(connection, "GET", "/datasources", shapes.many(shapes.DATASOURCE))


def filled(fields, given):
    return {**dict.fromkeys(fields), **given}


def run_flow(connection, name, data):
    """Finds a flow's trigger by its metadata and calls it, as `dbgpt run flow` does."""
    found = list_flows(connection, name=name)
    if "error" in found:
        return found
    (flow,) = found["data"]["items"]
    (trigger,) = flow["metadata"]["triggers"]
    if trigger["trigger_type"] != "http":
        raise shapes.Rejected(f"the trigger is of type {trigger['trigger_type']}")
    method = trigger["methods"][0] if trigger["methods"] else "GET"
    reads_body = method in ("POST", "PUT")
    path = trigger["path"] if reads_body else f"{trigger['path']}?{urlencode(data)}"
    response = connection.ask(method, path, data if reads_body else None)
    if response.status != 200 or not flow["metadata"]["streaming_output"]:
        return {"status": response.status, "text": response.read().decode()}
    return {"status": 200, "text": "".join(text_of_line(line) for line in lines_of(response) if line)}


def text_of_line(line):
    """Each line of such a stream has to be data: the client takes no other."""
    if line.strip() in ("data: [DONE]", "data:[DONE]"):
        return ""
    if not line.startswith("data:"):
        raise shapes.Rejected(f"no data: {line!r}")
    chunk = json.loads(line[len("data:") :])
    shapes.record({"choices": shapes.LIST})(chunk, "chunk")
    if not chunk["choices"]:
        return ""
    choice = chunk["choices"][0]
    shapes.FINISH(choice.get("finish_reason"), "finish_reason")
    return choice["delta"].get("content") or ""


# ---------------------------------------------------------------------------------------------------------------- trigger


def trigger(connection, path, query):
    """A caller of the example: no credentials, fields as query parameters."""
    address = connection.address
    plain = http.client.HTTPConnection(address.hostname, address.port, timeout=TIMEOUT_SECONDS)
    plain.request("GET", f"/api/v1/awel/trigger{quote(path)}?{urlencode(query)}")
    response = plain.getresponse()
    return {"status": response.status, "body": json.loads(response.read())}


CALLS = {
    call.__name__: call
    for call in (
        chat,
        list_apps,
        get_app,
        list_flows,
        get_flow,
        list_nodes,
        create_flow,
        update_flow,
        delete_flow,
        run_flow,
        create_space,
        update_space,
        delete_space,
        get_space,
        list_space,
        create_document,
        delete_document,
        get_document,
        list_document,
        sync_document,
        create_datasource,
        update_datasource,
        delete_datasource,
        get_datasource,
        list_datasource,
        trigger,
    )
}


def play(connection, request):
    call = CALLS[request.pop("call")]
    try:
        return call(connection, **request)
    except (shapes.Rejected, ValueError, http.client.HTTPException, OSError) as error:
        return {"rejected": f"{type(error).__name__}: {error}"}


def main():
    connection = Connection(*sys.argv[1:3])
    for line in sys.stdin:
        print(json.dumps(play(connection, json.loads(line))), flush=True)


main()
