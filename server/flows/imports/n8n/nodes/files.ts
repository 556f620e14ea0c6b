import type { Context } from '../context.ts';
import { type Entry, NotHere } from '../entry.ts';
import { following, type Port } from '../graph.ts';
import { itemwise } from '../items.ts';
import { gives, type Given } from '../job.ts';
import { asText } from '../params.ts';

/** Files on the disk and in buckets, and what is between files, texts and items. */

function required(context: Context): Port {
  const input = context.input();
  if (input === undefined) throw new NotHere('nothing leads to it');
  return input;
}

const FOLDER = 'n8n_files';

/** The folder that stands for the disk there: the administrator names it in the settings of the server. */
function folderOf({ job, step }: Context, id: string): void {
  job.report.need({
    kind: 'folder',
    name: FOLDER,
    nodes: [id],
    message: `Name the folder ${FOLDER} in WEFT_FOLDERS: the files of “${step.name}” are in it.`,
  });
}

/** A text of the params for a node that does not get the item itself. */
function textBeside(context: Context, input: Port, given: unknown): string {
  const item = input.card === 'many' ? `${input.expr}?.[index]` : input.expr;
  return context.text(given, { ...context.reads(input), item: () => item });
}

/** Paths here are below a folder. */
const below = (path: string): string => path.replace(/^\/+(?=.)/, '');

const passed = (context: Context, input: Port, id: string): Given =>
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
function withItem(context: Context, input: Port, from: string): Given {
  const of = input.card === 'many' ? `${input.expr}?.[index]` : input.expr;
  const item = context.add(`${context.step.name} item`, {
    operator: 'core.map',
    params: { value: `{{ ${of} }}` },
    ...(input.card === 'many' && { each: {} }),
  });
  context.wire(`${from}.out`, `${item}.in`);
  return passed(context, input, item);
}

function read(context: Context, path: unknown, field: string, folder = FOLDER): Given {
  const input = required(context);
  const text = asText(path ?? '');
  if (/[*?{[]/.test(text.replaceAll(/\{\{[\s\S]*?\}\}/g, '')))
    throw new NotHere('it reads all files that fit a pattern', [
      'file.list and file.read in a loop',
      'file.read of one file',
    ]);
  const id = itemwise(context, input, {
    operator: 'file.read',
    params: { folder, path: below(context.text(path ?? '', context.reads(input))) },
  });
  if (folder === FOLDER) folderOf(context, id);
  return withFile(context, input, id, field);
}

function write(context: Context, path: unknown, field: string, folder = FOLDER): Given {
  const input = required(context);
  const before = itemwise(
    context,
    input,
    { operator: 'core.map', params: { value: `{{ input?.[${JSON.stringify(field)}] }}` } },
    { hint: `${context.step.name} file` },
  );
  const named = below(textBeside(context, input, path ?? ''));
  const id = itemwise(context, context.port(before, 'out', { card: input.card }), {
    operator: 'file.write',
    params: { folder, path: named, existing: 'replace' },
  });
  if (folder === FOLDER) folderOf(context, id);
  return withItem(context, input, id);
}

function readWriteFile(context: Context): Given {
  const { params } = context;
  if ((params.text('operation') ?? 'read') === 'read') {
    const field = params.text('options.dataPropertyName') ?? 'data';
    return read(context, params.get('fileSelector'), field);
  }
  if (params.flag('options.append'))
    throw new NotHere('it adds to a file that is there', ['file.write of the whole file']);
  return write(context, params.get('fileName'), params.text('dataPropertyName') ?? 'data');
}

function readBinaryFile(context: Context): Given {
  return read(context, context.params.get('filePath'), context.params.text('dataPropertyName') ?? 'data');
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
  const operation = params.text('operation') ?? 'download';
  const resource = params.text('resource') ?? 'file';
  const [credential] = step.credentials;
  const folder = job.connection(credential?.name ?? 's3', credential?.type ?? 's3');
  const field = params.text('binaryPropertyName') ?? 'data';
  params.skip('resource', 'bucketName');
  context.changed('setting', 'The connection names the bucket.', {
    before: asText(params.get('bucketName') ?? ''),
    after: folder,
  });
  if (resource === 'file' && operation === 'download')
    return read(context, params.get('fileKey'), field, folder);
  if (resource === 'file' && operation === 'upload') {
    if (params.get('binaryData') === false)
      throw new NotHere('it writes a text', ['file.from-text and file.write']);
    const above = params.text('additionalFields.parentFolderKey');
    const name = params.text('fileName') ?? '';
    if (above !== undefined && (above.startsWith('=') || name.startsWith('=')))
      return write(context, `=${above.replace(/^=/, '')}/${name.replace(/^=/, '')}`, field, folder);
    return write(context, above === undefined ? name : `${above}/${name}`, field, folder);
  }
  const input = required(context);
  const reads = context.reads(input);
  if (resource === 'file' && operation === 'delete') {
    const id = itemwise(context, input, {
      operator: 'file.delete',
      params: { folder, path: context.text(params.get('fileKey') ?? '', reads) },
    });
    return withItem(context, input, id);
  }
  throw new NotHere(`it does “${resource} ${operation}”`, ['http.request with auth aws', 'file.list']);
}

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
  const { params, step } = context;
  const input = required(context);
  const mode = params.text('mode') ?? 'binaryToJson';
  params.skip('options.encoding', 'options.stripBOM', 'setAllData', 'convertAllData', 'options.jsonParse');
  if (mode === 'jsonToBinary') {
    const whole = params.get('convertAllData') !== false;
    const key = params.text('sourceKey') ?? 'data';
    const value = whole ? 'toJson(input)' : `string(input?.[${JSON.stringify(key)}] ?? "")`;
    const isRaw = params.flag('options.useRawData');
    params.skip('options.keepSource');
    const text = itemwise(
      context,
      input,
      {
        operator: 'core.map',
        params: { value: `{{ ${whole || isRaw ? value : `toJson(input?.[${JSON.stringify(key)}])`} }}` },
      },
      { hint: `${step.name} text` },
    );
    const name = textBeside(context, input, params.get('options.fileName') ?? 'file.json');
    const id = itemwise(context, context.port(text, 'out', { card: input.card }), {
      operator: 'file.from-text',
      params: {
        name,
        type: params.text('options.mimeType') ?? 'application/json',
      },
    });
    return withFile(context, input, id, params.text('destinationKey') ?? 'data');
  }
  const key = params.text('sourceKey') ?? 'data';
  const all = params.get('setAllData') !== false;
  params.skip('options.keepSource');
  const file = itemwise(
    context,
    input,
    { operator: 'core.map', params: { value: `{{ input?.[${JSON.stringify(key)}] }}` } },
    { hint: `${step.name} file` },
  );
  const id = itemwise(context, context.port(file, 'out', { card: input.card }), { operator: 'file.to-text' });
  const isJson = all || params.get('options.jsonParse') === true;
  const made = isJson ? 'json(input)' : 'input';
  const of = input.card === 'many' ? `${input.expr}?.[index]` : input.expr;
  const target = params.text('destinationKey') ?? 'data';
  const item = context.add(`${step.name} item`, {
    operator: 'core.map',
    params: {
      value: all
        ? `{{ ${made} }}`
        : `{{ { ...omit(${of} ?? { }, [${JSON.stringify(key)}]), ${JSON.stringify(target)}: ${made} } }}`,
    },
    ...(input.card === 'many' && { each: {} }),
  });
  context.wire(`${id}.out`, `${item}.in`);
  return passed(context, input, item);
}

const DISK =
  'Paths are below one folder that the administrator names; patterns for several files are placeholders.';

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
    difference: 'Encodings are found, and not set.',
    convert: moveBinaryData,
  },
];
