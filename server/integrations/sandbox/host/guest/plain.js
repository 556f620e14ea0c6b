/**
 * The code's output is JSON, and no value changes on the way: a value without a JSON form is an error with its place.
 * As in JSON, a field that is `undefined` is left out, -0 is 0, and an object with a `toJSON` (a date) is replaced by
 * its result.
 */

/** Levels that JSON may be nested. */
const MAX_DEPTH = 200;

/** Keys on the way to the current value, and the objects around it. @type {(string | number)[]} */
const way = [];
/** @type {(object | undefined)[]} */
const above = [];
/** Places of the values that errors are about. @type {WeakMap<object, string>} */
const places = new WeakMap();

/**
 * The place of the value that an error is about; undefined for errors of the code's own.
 *
 * @type {(error: object) => string | undefined}
 */
export function placeOf(error) {
  return places.get(error);
}

/** The value, with every part that has a `toJSON` replaced by its result. @type {(value: unknown) => unknown} */
export function plain(value) {
  try {
    return plainAt(value, 0, '');
  } finally {
    // One by one: to empty the list costs more than to look through a small result.
    for (let depth = 0; above[depth] !== undefined; depth++) above[depth] = undefined;
  }
}

/** @type {(value: unknown, depth: number, key: string | number) => unknown} */
function plainAt(value, depth, key) {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'undefined':
      return value;
    case 'number':
      if (value - value !== 0) throw odd(String(value), depth);
      return value;
    case 'object':
      return value === null ? value : plainObject(value, depth, key);
    default:
      throw odd(`a ${typeof value}`, depth);
  }
}

/** @type {(value: object, depth: number, key: string | number) => unknown} */
function plainObject(value, depth, key) {
  const { toJSON } = /** @type {{ toJSON?: unknown }} */ (value);
  if (typeof toJSON === 'function') return plainAt(given(value, toJSON, depth, key), depth, key);
  if (depth >= MAX_DEPTH) throw tooDeep(value);
  above[depth] = value;
  if (Array.isArray(value)) return plainList(value, depth);
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw odd(instance(value), depth);
  if (Object.getOwnPropertySymbols(value).length > 0) throw odd('an object with a symbol as a name', depth);
  return plainFields(/** @type {Record<string, unknown>} */ (value), depth);
}

/**
 * The result of `toJSON`; an invalid date has none.
 *
 * @type {(value: object, toJSON: Function, depth: number, key: string | number) => unknown}
 */
function given(value, toJSON, depth, key) {
  if (ArrayBuffer.isView(value)) throw odd(instance(value), depth);
  if (value instanceof Object && Object.prototype.toString.call(value) === '[object Date]') {
    if (Number.isNaN(Number(value))) throw odd('an invalid date', depth);
  }
  const other = Reflect.apply(toJSON, value, [String(key)]);
  // JSON does not call `toJSON` on the result again.
  if (typeof other === 'object' && other !== null && typeof other.toJSON === 'function') {
    throw odd('an object whose `toJSON` gives one with a `toJSON`', depth);
  }
  return other;
}

/** @type {(list: unknown[], depth: number) => unknown[]} */
function plainList(list, depth) {
  let copy = list;
  for (let i = 0; i < list.length; i++) {
    const item = list[i];
    if (typeof item === 'string') continue;
    way[depth] = i;
    const ready = plainAt(item, depth + 1, i);
    if (ready === undefined) throw odd(i in list ? 'undefined' : 'a hole', depth + 1);
    if (ready === item) continue;
    if (copy === list) copy = list.slice();
    copy[i] = ready;
  }
  return copy;
}

/** @type {(fields: Record<string, unknown>, depth: number) => Record<string, unknown>} */
function plainFields(fields, depth) {
  /** @type {Map<string, unknown> | undefined} */
  let changed;
  // Neither of its two possible prototypes has enumerable fields.
  for (const name in fields) {
    const field = fields[name];
    if (typeof field === 'string') continue;
    way[depth] = name;
    const ready = plainAt(field, depth + 1, name);
    if (ready !== field) (changed ??= new Map()).set(name, ready);
  }
  if (changed === undefined) return fields;
  const entries = Object.keys(fields).map((name) => [
    name,
    changed.has(name) ? changed.get(name) : fields[name],
  ]);
  return Object.fromEntries(entries);
}

/** @type {(what: string, depth: number) => Error} */
function odd(what, depth) {
  const place = pathOf(depth);
  const at = place === '' ? '' : ` at \`${place}\``;
  const error = new TypeError(`The code gave ${what}${at}, which is no JSON value.`);
  places.set(error, place);
  return error;
}

/** @type {(value: object) => Error} */
function tooDeep(value) {
  above[MAX_DEPTH] = value;
  for (let inner = 1; inner <= MAX_DEPTH; inner++) {
    const object = above[inner];
    if (object && above.indexOf(object) < inner) return odd('an object that holds itself', inner);
  }
  return odd(`what is nested deeper than ${MAX_DEPTH} levels`, 0);
}

/** @type {(value: object) => string} */
function instance(value) {
  const { constructor } = value;
  const name = typeof constructor === 'function' ? String(constructor.name).slice(0, 100) : '';
  const isBytes = ArrayBuffer.isView(value) || value instanceof ArrayBuffer;
  const hint = isBytes
    ? " (bytes leave the code as a text, such as Buffer.from(bytes).toString('base64'), or as a file of ctx.newFile)"
    : '';
  return name === '' ? 'an object with a prototype of its own' : `an instance of ${name}${hint}`;
}

/** @type {(depth: number) => string} */
function pathOf(depth) {
  let path = '';
  for (let i = 0; i < depth && path.length < 500; i++) {
    const key = way[i];
    if (typeof key === 'number') path += `[${key}]`;
    else if (/^[A-Za-z_$][\w$]*$/.test(String(key))) path += path === '' ? key : `.${key}`;
    else path += `[${JSON.stringify(key)}]`;
  }
  return path;
}
