import type { Context } from '../context.ts';
import { type Entry, NotHere } from '../entry.ts';
import { filePattern, isPattern } from '../file-patterns.ts';
import { following, type Port } from '../graph.ts';
import { itemwise } from '../items.ts';
import { gives, type Given } from '../job.ts';
import { asText } from '../params.ts';

/** Files on the disk and in buckets, and what is between files, texts and items. */

export function required(context: Context): Port {
  const input = context.input();
  if (input === undefined) throw new NotHere('nothing leads to it');
  return input;
}

export const FOLDER = 'n8n_files';

/** The folder that stands for the disk there: the administrator names it in the settings of the server. */
export function folderOf({ job, step }: Context, id: string): void {
  job.report.need({
    kind: 'folder',
    name: FOLDER,
    nodes: [id],
    message: `Name the folder ${FOLDER} in WEFT_FOLDERS: the files of “${step.name}” are in it.`,
  });
}

/** A text of the params for a node that does not get the item itself. */
export function textBeside(context: Context, input: Port, given: unknown): string {
  const item = input.card === 'many' ? `${input.expr}?.[index]` : input.expr;
  return context.text(given, { ...context.reads(input), item: () => item });
}

/** Paths here are below a folder. */
export const below = (path: string): string => path.replace(/^\/+(?=.)/, '');

export const passed = (context: Context, input: Port, id: string): Given =>
  gives(
    context.port(id, 'out', {
      card: input.card,
      mayBeEmpty: input.mayBeEmpty,
      ...following(input, context.step.name),
    }),
  );

/** The item with a file in a field. */
function withFile(context: Context, input: Port, from: string, field: string): Given {
  const of = input.card === 'many' ? `${input.expr}?.[index]` : input.expr;
  const item = context.add(`${context.step.name} item`, {
    operator: 'core.map',
    params: { value: `{{ { ...(${of} ?? { }), ${JSON.stringify(field)}: input } }}` },
    ...(input.card === 'many' && { each: {} }),
  });
  context.wire(`${from}.out`, `${item}.in`);
  return passed(context, input, item);
}

/** The item itself, after a node that only does something with it. */
export function withItem(context: Context, input: Port, from: string): Given {
  const of = input.card === 'many' ? `${input.expr}?.[index]` : input.expr;
  const item = context.add(`${context.step.name} item`, {
    operator: 'core.map',
    params: { value: `{{ ${of} }}` },
    ...(input.card === 'many' && { each: {} }),
  });
  context.wire(`${from}.out`, `${item}.in`);
  return passed(context, input, item);
}

export function readFile(context: Context, path: unknown, field: string, folder = FOLDER): Given {
  const input = required(context);
  const text = asText(path ?? '');
  // The paths of other servers are no patterns.
  if (folder === FOLDER && isPattern(text.replaceAll(/\{\{[\s\S]*?\}\}/g, '')))
    return readAll(context, text, field);
  const id = itemwise(context, input, {
    operator: 'file.read',
    params: { folder, path: below(context.text(path ?? '', context.reads(input))) },
  });
  usesFolder(context, folder, id);
  return withFile(context, input, id, field);
}

/** All files that fit a pattern, each as an item. */
function readAll(context: Context, given: string, field: string): Given {
  const { step } = context;
  const pattern = given.startsWith('=') ? undefined : filePattern(given);
  if (pattern === undefined)
    throw new NotHere('it reads all files that fit a pattern that is worked out or has other signs', [
      'file.list and file.read in a loop',
      'file.read of one file',
    ]);
  const input = required(context);
  if (input.card === 'many' && step.kind !== 'readBinaryFiles')
    context.changed('setting', 'It reads the files once, not once for each item.');
  const list = context.add(`${step.name} list`, {
    operator: 'file.list',
    params: { folder: FOLDER, path: pattern.folder, ...(pattern.deep && { recursive: true }), limit: 10_000 },
  });
  context.wire(input, `${list}.in`);
  const fitting = context.add(`${step.name} fitting`, {
    operator: 'core.map',
    params: {
      value: `{{ pluck(input.filter(one => one.kind == "file" && matches(one.path, ${JSON.stringify(pattern.source)})), "path") }}`,
    },
  });
  context.wire(`${list}.out`, `${fitting}.in`);
  const id = context.add(step.name, {
    operator: 'file.read',
    params: { folder: FOLDER, path: '{{ input }}' },
    each: {},
  });
  context.wire(`${fitting}.out`, `${id}.in`);
  folderOf(context, id);
  const item = context.add(`${step.name} item`, {
    operator: 'core.map',
    params: { value: { [field]: '{{ input }}' } },
    each: {},
  });
  context.wire(`${id}.out`, `${item}.in`);
  return gives(
    context.port(item, 'out', {
      card: 'many',
      mayBeEmpty: true,
      aligned: new Set([step.name]),
      origin: undefined,
    }),
  );
}

export function usesFolder(context: Context, folder: string, id: string): void {
  if (folder === FOLDER) folderOf(context, id);
  else context.job.report.use('connection', folder, id);
}

function write(context: Context, path: unknown, field: string, folder = FOLDER): Given {
  const input = required(context);
  const named = below(textBeside(context, input, path ?? ''));
  return withItem(context, input, writeFile(context, { input, named, field, folder }));
}

interface Written {
  readonly input: Port;
  /** The path in the folder, as a text for a node that does not get the item. */
  readonly named: string;
  /** The field of the item that has the file. */
  readonly field: string;
  readonly folder: string;
}

/** The node that writes a file of the items. */
export function writeFile(context: Context, { input, named, field, folder }: Written): string {
  const before = itemwise(
    context,
    input,
    { operator: 'core.map', params: { value: `{{ input?.[${JSON.stringify(field)}] }}` } },
    { hint: `${context.step.name} file` },
  );
  const id = itemwise(context, context.port(before, 'out', { card: input.card }), {
    operator: 'file.write',
    params: { folder, path: named, existing: 'replace' },
  });
  usesFolder(context, folder, id);
  return id;
}

function readWriteFile(context: Context): Given {
  const { params } = context;
  if ((params.text('operation') ?? 'read') === 'read') {
    const field = params.text('options.dataPropertyName') ?? 'data';
    return readFile(context, params.get('fileSelector'), field);
  }
  if (params.flag('options.append'))
    throw new NotHere('it adds to a file that is there', ['file.write of the whole file']);
  return write(context, params.get('fileName'), params.text('dataPropertyName') ?? 'data');
}

/** It reads once, whatever leads to it. */
function readBinaryFiles(context: Context): Given {
  const { params } = context;
  const selector = asText(params.get('fileSelector') ?? '');
  const field = params.text('dataPropertyName') ?? 'data';
  return !selector.startsWith('=') && isPattern(selector)
    ? readAll(context, selector, field)
    : readFile(context, selector, field);
}

function readBinaryFile(context: Context): Given {
  return readFile(context, context.params.get('filePath'), context.params.text('dataPropertyName') ?? 'data');
}

function writeBinaryFile(context: Context): Given {
  const { params } = context;
  if (params.flag('options.append'))
    throw new NotHere('it adds to a file that is there', ['file.write of the whole file']);
  return write(context, params.get('fileName'), params.text('dataPropertyName') ?? 'data');
}

/** A bucket is a folder here: the connection of the kind s3. */
function bucket(context: Context): Given {
  const { params, step, job } = context;
  const asked = `${params.text('resource') ?? 'file'} ${params.text('operation') ?? 'download'}`;
  const way = IN_BUCKETS[asked];
  if (!way) throw new NotHere(`it does “${asked}”`, ['http.request with auth aws', 'file.list']);
  const [credential] = step.credentials;
  const folder = job.connection(credential?.name ?? 's3', credential?.type ?? 's3');
  context.changed('setting', 'The connection names the bucket.', {
    before: asText(params.get('bucketName') ?? ''),
    after: folder,
  });
  return way(context, folder);
}

const IN_BUCKETS: Readonly<Record<string, (context: Context, folder: string) => Given>> = {
  'file download': (context, folder) =>
    readFile(context, context.params.get('fileKey'), fieldOf(context), folder),
  'file upload'(context, folder) {
    const { params } = context;
    if (params.get('binaryData') === false)
      throw new NotHere('it writes a text', ['file.from-text and file.write']);
    const parts = [params.text('additionalFields.parentFolderKey'), params.text('fileName') ?? ''].filter(
      (part) => part !== undefined,
    );
    const isWorkedOut = parts.some((part) => part.startsWith('='));
    const path = parts.map((part) => part.replace(/^=/, '')).join('/');
    return write(context, isWorkedOut ? `=${path}` : path, fieldOf(context), folder);
  },
  'file delete'(context, folder) {
    const input = required(context);
    const path = context.text(context.params.get('fileKey') ?? '', context.reads(input));
    const id = itemwise(context, input, { operator: 'file.delete', params: { folder, path } });
    return withItem(context, input, id);
  },
};

export const fieldOf = ({ params }: Context): string => params.text('binaryPropertyName') ?? 'data';

/** The files of the item become an archive, or an archive becomes files. */
function compression(context: Context): Given {
  const { params, step } = context;
  const input = required(context);
  const operation = params.text('operation') ?? 'decompress';
  const names = (params.text('binaryPropertyName') ?? 'data').split(',').map((one) => one.trim());
  const files = itemwise(
    context,
    input,
    {
      operator: 'core.map',
      params: {
        value:
          operation === 'compress'
            ? `{{ compact([${names.map((name) => `input?.[${JSON.stringify(name)}]`).join(', ')}]) }}`
            : `{{ input?.[${JSON.stringify(names[0])}] }}`,
      },
    },
    { hint: `${step.name} file` },
  );
  const from = context.port(files, 'out', { card: input.card });
  if (operation === 'compress') {
    if ((params.text('outputFormat') ?? 'zip') !== 'zip')
      throw new NotHere('it makes an archive of gzip', ['file.zip']);
    const name = params.text('fileName') ?? 'data.zip';
    const id = itemwise(context, from, { operator: 'file.zip', params: { name } });
    return withFile(context, input, id, params.text('binaryPropertyOutput') ?? 'data');
  }
  const prefix = params.text('outputPrefix') ?? 'file_';
  const id = itemwise(context, from, { operator: 'file.unzip' });
  const item = context.add(`${step.name} item`, {
    operator: 'core.map',
    params: {
      value: `{{ fromEntries(input.map((file, at) => [\`${prefix}\${at}\`, file])) }}`,
    },
    ...(input.card === 'many' && { each: {} }),
  });
  context.wire(`${id}.out`, `${item}.in`);
  return passed(context, input, item);
}

/** Between a field of the item and a file, as the first versions had it. */
function moveBinaryData(context: Context): Given {
  const { params } = context;
  params.skip('options.stripBOM', 'options.keepSource');
  const encoding = params.text('options.encoding') ?? 'utf8';
  if (!['utf8', 'utf-8', 'base64'].includes(encoding))
    context.changed('setting', 'The characters of the text are found out, and not set.', {
      before: encoding,
    });
  const key = JSON.stringify(params.text('sourceKey') ?? 'data');
  const target = params.text('destinationKey') ?? 'data';
  return (params.text('mode') ?? 'binaryToJson') === 'jsonToBinary'
    ? intoFile(context, key, target)
    : outOfFile(context, key, target);
}

function intoFile(context: Context, key: string, target: string): Given {
  const { params, step } = context;
  const input = required(context);
  const whole = params.get('convertAllData') !== false;
  const isRaw = params.flag('options.useRawData');
  const value = whole ? 'toJson(input)' : isRaw ? `string(input?.[${key}] ?? "")` : `toJson(input?.[${key}])`;
  const text = itemwise(
    context,
    input,
    { operator: 'core.map', params: { value: `{{ ${value} }}` } },
    { hint: `${step.name} text` },
  );
  const name = textBeside(context, input, params.get('options.fileName') ?? 'file.json');
  const id = itemwise(context, context.port(text, 'out', { card: input.card }), {
    operator: 'file.from-text',
    params: {
      name,
      type: params.text('options.mimeType') ?? 'application/json',
      ...(params.text('options.encoding') === 'base64' && { content: 'base64' }),
    },
  });
  return withFile(context, input, id, target);
}

function outOfFile(context: Context, key: string, target: string): Given {
  const { params, step } = context;
  const input = required(context);
  const all = params.get('setAllData') !== false;
  const file = itemwise(
    context,
    input,
    { operator: 'core.map', params: { value: `{{ input?.[${key}] }}` } },
    { hint: `${step.name} file` },
  );
  const id = itemwise(context, context.port(file, 'out', { card: input.card }), {
    operator: 'file.to-text',
    ...(params.text('options.encoding') === 'base64' && { params: { as: 'base64' } }),
  });
  const made = params.get('options.jsonParse') === true || all ? 'json(input)' : 'input';
  const of = input.card === 'many' ? `${input.expr}?.[index]` : input.expr;
  const item = context.add(`${step.name} item`, {
    operator: 'core.map',
    params: {
      value: all
        ? `{{ ${made} }}`
        : `{{ { ...omit(${of} ?? { }, [${key}]), ${JSON.stringify(target)}: ${made} } }}`,
    },
    ...(input.card === 'many' && { each: {} }),
  });
  context.wire(`${id}.out`, `${item}.in`);
  return passed(context, input, item);
}

const DISK =
  'Paths are below one folder that the administrator names; a pattern for several files that an expression computes is a placeholder.';

export const fileEntries: readonly Entry[] = [
  {
    kind: 'readWriteFile',
    word: 'close',
    becomes: '`file.read`, `file.write`',
    difference: DISK,
    convert: readWriteFile,
  },
  {
    kind: 'readBinaryFile',
    word: 'close',
    becomes: '`file.read`',
    difference: DISK,
    convert: readBinaryFile,
  },
  {
    kind: 'readBinaryFiles',
    word: 'close',
    becomes: '`file.list` and `file.read` of what fits the pattern',
    difference: DISK,
    convert: readBinaryFiles,
  },
  {
    kind: 'writeBinaryFile',
    word: 'close',
    becomes: '`file.write`',
    difference: DISK,
    convert: writeBinaryFile,
  },
  ...['awsS3', 's3'].map(
    (kind): Entry => ({
      kind,
      word: 'close',
      becomes: '`file.read`, `file.write`, `file.delete` in a bucket',
      difference: 'The connection has the bucket; buckets themselves, and lists of them, are placeholders.',
      convert: bucket,
    }),
  ),
  {
    kind: 'compression',
    word: 'close',
    becomes: '`file.zip`, `file.unzip`',
    difference: 'Archives of gzip are placeholders.',
    convert: compression,
  },
  {
    kind: 'moveBinaryData',
    word: 'close',
    becomes: '`file.from-text`, `file.to-text`',
    difference: 'Encodings are detected and cannot be set.',
    convert: moveBinaryData,
  },
];
