/** Python of a node of n8n, with the names before it that it knows there. */

export interface PythonShim {
  readonly perItem: boolean;
  readonly workflow: string;
  /** The input is `{ items, nodes }`, otherwise the items, or the item, alone. */
  readonly hasNodes: boolean;
}

/**
 * The code becomes the body of a function, in which its own names and these are one: nothing here is read by a name that it may set. Its
 * result is unwrapped by the node behind it.
 */
export function shimmedPython(source: string, { perItem, workflow, hasNodes }: PythonShim): string {
  const given = hasNodes
    ? "globals()['input']['items']"
    : perItem
      ? "[globals()['input']]"
      : "globals()['input']";
  return [
    CLASSES,
    `_input = _weft_list([_weft_item(one) for one in ${given}], None)`,
    `_items = items = _input.all()`,
    `_item = item = _input.item = _input.first()`,
    `_json = _item.json if _item is not None else None`,
    `_weft_nodes = ${hasNodes ? "globals()['input']['nodes']" : '{}'}`,
    NODES,
    `_workflow = _weft_wrap({'id': '', 'name': ${JSON.stringify(workflow)}, 'active': True})`,
    `_env = _vars = _weft_wrap(globals()['ctx'].vars)`,
    `_itemIndex = globals()['ctx'].index or 0`,
    '',
    source,
    '',
    'return []',
  ].join('\n');
}

const CLASSES = `class _weft_dict(dict):
    def __getattr__(self, name):
        if name in self:
            return self[name]
        raise AttributeError(name)

    def __setattr__(self, name, value):
        self[name] = value

    def to_py(self, **_):
        return self


class _weft_items(list):
    def to_py(self, **_):
        return self


def _weft_wrap(value):
    if isinstance(value, dict):
        return _weft_dict({name: _weft_wrap(one) for name, one in value.items()})
    return _weft_items([_weft_wrap(one) for one in value]) if isinstance(value, list) else value


def _weft_item(json):
    return _weft_dict(json=_weft_wrap(json), pairedItem=0)


class _weft_list:
    def __init__(self, items, item):
        self.items, self.item = _weft_items(items), item

    def all(self):
        return self.items

    def first(self):
        return self.items[0] if self.items else None

    def last(self):
        return self.items[-1] if self.items else None

    def itemMatching(self, at):
        return self.items[at]

    @property
    def json(self):
        return (self.item or self.first()).json
`;

const NODES = `
def _weft_node(name):
    if name not in _weft_nodes:
        raise KeyError(f'There is no item of the node {name} here.')
    found = _weft_nodes[name]
    if found['all'] is None:
        raise KeyError(f'The node {name} did not run.')
    own = found.get('own')
    return _weft_list([_weft_item(one) for one in found['all']], None if own is None else _weft_item(own))


class _weft_by_name:
    def __getitem__(self, name):
        return _weft_node(name)

    def __getattr__(self, name):
        return _weft_node(name)


_, _node = _weft_node, _weft_by_name()`;

/** The features of Python that are missing here, in sentences. */
export function pythonLacking(
  source: string,
): readonly { readonly message: string; readonly before: string }[] {
  return LACKING.flatMap(([pattern, message]) => {
    const [before] = pattern.exec(source) ?? [];
    return before === undefined ? [] : [{ message, before }];
  });
}

const LACKING: readonly (readonly [pattern: RegExp, message: string])[] = [
  [
    /\b_(?:now|today|DateTime|Duration)\b/,
    'Its code uses dates of Luxon, which Python does not have here; use `datetime`.',
  ],
  [/\b_jmespath\b/, 'Its code uses JMESPath; write the path as Python.'],
  [/\b_get(?:Workflow|Node)StaticData\b/, 'Its code uses stored data; `ctx.state` keeps values here.'],
  [
    /\bos\.(?:getenv|environ)\b/,
    'Its code reads the environment, which is empty here; use `ctx.vars` or `ctx.secret`.',
  ],
  [
    /\.binary\b|\[['"]binary['"]\]|\b_binary\b/,
    'Its code reads or makes files as `binary`; use `ctx.file` and `ctx.new_file`.',
  ],
];

/** The names of other nodes in Python, written as in JavaScript. */
export const namesAsInJs = (source: string): string => source.replaceAll(/(?<![\w.])_(?=\(|node\b)/g, '$');
