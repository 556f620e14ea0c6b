"""A chat client of Python's standard library only. It sends what the original's client sends, all 13 fields with nulls where
nothing was given, and reads as strictly as that one does.

Usage: chat-client.py BASE_URL KEY '{"model": ..., "messages": ..., "stream": ..., ...}'
Prints one JSON object: {"status", "chunks"} for a stream, {"status", "answer"} else, {"status", "error"} for an error.
"""

import http.client
import json
import sys
from urllib.parse import urlsplit

FIELDS = {
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


def need(value, types, place):
    if type(value) not in types:
        raise ValueError(f"{place} is {value!r}")
    return value


def check_finish(choice):
    if choice["finish_reason"] not in (None, "stop", "length"):
        raise ValueError(f"finish_reason is {choice['finish_reason']!r}")


def check_head(answer):
    need(answer["id"], [str], "id")
    need(answer["created"], [int], "created")
    need(answer["model"], [str], "model")
    need(answer["choices"], [list], "choices")


def check_chunk(chunk):
    check_head(chunk)
    if len(chunk["choices"]) != 1:
        raise ValueError("a chunk has not one choice")
    for choice in chunk["choices"]:
        need(choice["index"], [int], "index")
        check_finish(choice)
        delta = need(choice["delta"], [dict], "delta")
        need(delta.get("role"), [str, type(None)], "role")
        need(delta.get("content"), [str, type(None)], "content")
    return chunk


def check_answer(answer):
    check_head(answer)
    need(answer["object"], [str], "object")
    for choice in answer["choices"]:
        check_finish(choice)
        need(choice["message"]["role"], [str], "role")
        need(choice["message"]["content"], [str], "content")
    for name in ("prompt_tokens", "total_tokens", "completion_tokens"):
        need(answer["usage"][name], [int], name)
    return answer


def check_error(error):
    if error["success"] is not False or set(error) < {"success", "err_code", "err_msg", "data"}:
        raise ValueError(f"this is no envelope: {error!r}")
    need(error["err_code"], [str], "err_code")
    need(error["err_msg"], [str], "err_msg")
    return error


def read_stream(response):
    chunks = []
    for line in response:
        line = line.decode("utf-8")
        if line.strip() == "data: [DONE]":
            return chunks
        if line.startswith("data:"):
            chunks.append(check_chunk(json.loads(line[len("data: ") :])))
    raise ValueError("the stream ended without [DONE]")


def main():
    base, key, given = sys.argv[1:4]
    address = urlsplit(base)
    body = {**FIELDS, **json.loads(given)}
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=60)
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    connection.request("POST", "/api/v2/chat/completions", json.dumps(body), headers)
    response = connection.getresponse()
    if response.status != 200:
        result = {"error": check_error(json.loads(response.read()))}
    elif body["stream"]:
        result = {"chunks": read_stream(response)}
    else:
        result = {"answer": check_answer(json.loads(response.read()))}
    print(json.dumps({"status": response.status, **result}))


main()
