"""What the original's client takes: its own classes, in short. Each reader gives nothing and raises Rejected where that client
would not take the value.
"""

from datetime import datetime


class Rejected(Exception):
    pass


def of(*types):
    """A value of one of these types; true and false are no numbers."""

    def read(value, place):
        if type(value) not in types:
            raise Rejected(f"{place} is {value!r}")

    return read


def anything(value, place):
    pass


def one_of(*values):
    def read(value, place):
        if value not in values:
            raise Rejected(f"{place} is {value!r}, not one of {values!r}")

    return read


def maybe(shape):
    def read(value, place):
        if value is not None:
            shape(value, place)

    return read


def many(shape):
    def read(value, place):
        LIST(value, place)
        for at, one in enumerate(value):
            shape(one, f"{place}[{at}]")

    return read


def record(needed, known=None):
    """An object with the fields `needed`, and `known` where they are there; others are passed over."""

    def read(value, place):
        OBJECT(value, place)
        for name, shape in needed.items():
            if name not in value:
                raise Rejected(f"{place}.{name} is missing")
            shape(value[name], f"{place}.{name}")
        for name, shape in (known or {}).items():
            if name in value:
                shape(value[name], f"{place}.{name}")

    return read


def moment(value, place):
    TEXT(value, place)
    try:
        datetime.fromisoformat(value.replace("Z", "+00:00"))
    except ValueError:
        raise Rejected(f"{place} is no time: {value!r}") from None


TEXT = of(str)
INT = of(int)
NUMBER = of(int, float)
FLAG = of(bool)
LIST = of(list)
OBJECT = of(dict)
TEXT_OR_NONE = maybe(TEXT)
SCALAR_OR_NONE = maybe(of(str, int, float, bool))

# ------------------------------------------------------------------------------------------------------------------- chat

FINISH = one_of(None, "stop", "length")

CHUNK = record(
    {
        "id": TEXT,
        "created": INT,
        "model": TEXT,
        "choices": many(
            record(
                {
                    "index": INT,
                    "delta": record({}, {"role": TEXT_OR_NONE, "content": TEXT_OR_NONE}),
                    "finish_reason": FINISH,
                }
            )
        ),
    }
)

ANSWER = record(
    {
        "id": TEXT,
        "object": one_of("chat.completion"),
        "created": INT,
        "model": TEXT,
        "choices": many(
            record({"index": INT, "message": record({"role": TEXT, "content": TEXT}), "finish_reason": FINISH})
        ),
        "usage": record({"prompt_tokens": INT, "total_tokens": INT, "completion_tokens": INT}),
    }
)


def envelope(data):
    return record({"success": one_of(True), "err_code": one_of(None), "err_msg": one_of(None), "data": data})


FAILURE = record({"success": one_of(False), "err_code": TEXT, "err_msg": TEXT, "data": one_of(None)})

# ------------------------------------------------------------------------------------------------------------------- apps

RESOURCE = record({"type": TEXT, "name": TEXT, "value": TEXT, "is_dynamic": FLAG})

DETAIL = record(
    {
        **dict.fromkeys(
            (
                "app_code",
                "app_name",
                "agent_name",
                "node_id",
                "prompt_template",
                "llm_strategy",
                "llm_strategy_value",
            ),
            TEXT_OR_NONE,
        ),
        "resources": maybe(many(RESOURCE)),
        "created_at": moment,
        "updated_at": moment,
    }
)

APP = record(
    {
        **dict.fromkeys(
            (
                "app_code",
                "app_name",
                "app_describe",
                "team_mode",
                "language",
                "team_context",
                "user_code",
                "sys_code",
                "is_collected",
                "icon",
            ),
            TEXT_OR_NONE,
        ),
        "created_at": moment,
        "updated_at": moment,
        "details": many(DETAIL),
    }
)

APP_PAGE = record({"total_count": INT, "total_page": INT, "current_page": INT, "app_list": many(APP)})

# ------------------------------------------------------------------------------------------------------------------ flows

CONVERSIONS = {"builtins.str": str, "builtins.int": int, "builtins.float": float, "builtins.bool": bool}


def keeps_its_value(parameter, place):
    """The client turns values into what `type_cls` says. It fails where it cannot, and sends back what it made of them."""
    convert = CONVERSIONS.get(parameter["type_cls"])
    for key in ("value", "default"):
        value = parameter.get(key)
        if convert is None or not value:
            continue
        try:
            kept = convert(value) == value
        except (TypeError, ValueError):
            kept = False
        if not kept:
            raise Rejected(f"{place}.{key} is {value!r}, which is no {parameter['type_cls']}")


PARAMETER_FIELDS = record(
    {"type_name": TEXT, "type_cls": TEXT, "label": TEXT, "name": TEXT, "category": TEXT, "optional": FLAG},
    {
        "is_list": FLAG,
        "resource_type": one_of("instance", "class"),
        "default": SCALAR_OR_NONE,
        "placeholder": SCALAR_OR_NONE,
        "description": TEXT_OR_NONE,
        "options": maybe(many(record({"label": TEXT, "name": TEXT, "value": anything}))),
        "value": anything,
    },
)


def parameter_shape(value, place):
    PARAMETER_FIELDS(value, place)
    keeps_its_value(value, f"{place} ({value['name']})")


PORT = record(
    {"label": TEXT, "name": TEXT, "description": TEXT, "type_name": TEXT, "type_cls": TEXT}, {"is_list": FLAG}
)

OPERATOR_CATEGORIES = "trigger sender llm conversion output_parser common agent rag".split()
RESOURCE_CATEGORIES = "http_body llm_client storage serializer common prompt agent embeddings rag vector_store".split()
OPERATOR_TYPES = "map reduce join branch input streamify un_streamify transform_stream".split()

NODE_DATA = record(
    {
        "label": TEXT,
        "name": TEXT,
        "description": TEXT,
        "category": one_of(*OPERATOR_CATEGORIES, *RESOURCE_CATEGORIES),
        "flow_type": one_of("operator"),
        "id": TEXT,
        "parameters": many(parameter_shape),
        "inputs": many(PORT),
        "outputs": many(PORT),
    },
    {
        "category_label": TEXT,
        "icon": TEXT_OR_NONE,
        "documentation_url": TEXT_OR_NONE,
        "tags": maybe(many(TEXT)),
        "operator_type": one_of(*OPERATOR_TYPES),
        "version": TEXT,
        "type_name": TEXT_OR_NONE,
        "type_cls": TEXT_OR_NONE,
    },
)

PLACE = record({"x": NUMBER, "y": NUMBER}, {"zoom": NUMBER})

NODE = record(
    {"width": INT, "height": INT, "id": TEXT, "position": PLACE, "position_absolute": PLACE, "data": NODE_DATA},
    {"type": TEXT_OR_NONE},
)

EDGE = record(
    {"source": TEXT, "source_order": INT, "target": TEXT, "target_order": INT, "id": TEXT},
    dict.fromkeys(("source_handle", "target_handle", "type"), TEXT_OR_NONE),
)

STATES = "initializing developing testing deployed running disabled load_failed".split()

FLOW = record(
    {
        "uid": TEXT,
        "label": TEXT,
        "name": TEXT,
        "flow_category": maybe(one_of("common", "chat_flow", "chat_agent")),
        "flow_data": record({"nodes": many(NODE), "edges": many(EDGE), "viewport": PLACE}),
        "state": one_of(*STATES),
        "editable": FLAG,
        **dict.fromkeys(("gmt_created", "gmt_modified", "dag_id"), TEXT),
        **dict.fromkeys(("description", "error_message", "source_url", "user_name", "sys_code"), TEXT_OR_NONE),
    },
    {"source": TEXT_OR_NONE, "version": TEXT_OR_NONE, "define_type": TEXT_OR_NONE},
)

FLOW_PAGE = record(
    {"items": many(FLOW), "total_count": INT, "total_pages": INT, "page": INT, "page_size": INT}
)

# -------------------------------------------------------------------------------------------------------------- knowledge


def numeric(value, place):
    """A number, or one as text, which the client turns into a number."""
    if type(value) is not int and not (type(value) is str and value.isdecimal()):
        raise Rejected(f"{place} is {value!r}")


# The client of v0.5.6 takes an id as text only, the newest a number or its text; null is only for the context.
SPACE = record(
    {"id": TEXT},
    {**dict.fromkeys(("name", "vector_type", "desc", "owner"), TEXT), "id": numeric, "context": TEXT_OR_NONE},
)
DOCUMENT = record(
    {"id": numeric},
    dict.fromkeys(("doc_name", "doc_type", "content", "doc_source", "space_id"), TEXT),
)
# Neither client takes a null besides the id.
DATASOURCE = record(
    {"db_type": TEXT, "db_name": TEXT},
    {
        **dict.fromkeys(("db_path", "db_host", "db_user", "db_pwd", "comment"), TEXT),
        "id": numeric,
        "db_port": numeric,
    },
)
