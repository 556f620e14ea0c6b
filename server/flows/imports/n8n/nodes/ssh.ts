import type { Context } from '../context.ts';
import { type Entry, NotHere } from '../entry.ts';
import { isExpression } from '../expressions/templates.ts';
import type { Port } from '../graph.ts';
import { firstOf, itemwise, spreadItems } from '../items.ts';
import { gives, type Given } from '../job.ts';
import { asText } from '../params.ts';
import {
  below,
  fieldOf,
  passed,
  readFile,
  required,
  textBeside,
  usesFolder,
  withItem,
  writeFile,
} from './files.ts';

/** Commands and files on other machines: the connection of the kind ssh. */

/** The longest time and the largest output that `ssh.run` has: there is no limit there. */
const LONGEST_MS = 86_400_000;
const MOST_BYTES = 10_000_000;

function connectionOf({ job, step }: Context, types: readonly [string, ...string[]]): string {
  const given = step.credentials.find(({ type }) => types.includes(type));
  return job.connection(given?.name ?? 'ssh', given?.type ?? types[0]);
}

/** A path there. The connection sees `/` as its folder; what begins in the home folder is elsewhere. */
function pathOf(given: unknown): string {
  const path = asText(given ?? '').replace(/(?<=[^/])\/+$/, '');
  const begin = isExpression(path) ? path.slice(1) : path;
  if (begin.startsWith('/') || begin.startsWith('{{')) return path;
  throw new NotHere('its path begins in the home folder of the user', [
    'file.read, file.write and file.list with a connection whose folder is ~',
    'ssh.run',
  ]);
}

const SUCCESS = '{{ { success: true } }}';

/** What both nodes give after they have changed something. */
function succeeded(context: Context, input: Port, from: string): Given {
  const id = context.add(`${context.step.name} item`, {
    operator: 'core.map',
    params: { value: SUCCESS },
    ...(input.card === 'many' && { each: {} }),
  });
  context.wire(`${from}.out`, `${id}.in`);
  return passed(context, input, id);
}

function ssh(context: Context): Given {
  const { params } = context;
  const isKey = params.text('authentication') === 'privateKey';
  const connection = connectionOf(context, isKey ? ['sshPrivateKey'] : ['sshPassword']);
  const operation = params.text('operation');
  if ((params.text('resource') ?? 'command') === 'command') return execute(context, connection);
  return (operation ?? 'upload') === 'upload'
    ? uploadInto(context, connection)
    : download(context, connection);
}

function execute(context: Context, connection: string): Given {
  const { params } = context;
  const input = required(context);
  const reads = context.reads(input);
  const id = itemwise(
    context,
    input,
    {
      operator: 'ssh.run',
      params: {
        connection,
        command: context.text(params.get('command') ?? '', reads),
        folder: context.text(params.get('cwd') ?? '/', reads),
        failOnCode: false,
        maxBytes: MOST_BYTES,
        timeoutMs: LONGEST_MS,
      },
    },
    { atOnce: 1 },
  );
  context.job.report.use('connection', connection, id);
  return passed(context, input, id);
}

/** Commands of n8n's own machine run on one that a connection names: the server itself executes none. */
function executeCommand(context: Context): Given {
  const { params, job } = context;
  const given = required(context);
  const input =
    params.get('executeOnce') !== false && given.card === 'many' ? firstOf(context, given) : given;
  const connection = job.connection('host of commands', 'sshPassword');
  const command = context.text(params.get('command') ?? '', context.reads(input));
  const node = {
    operator: 'ssh.run',
    params: { connection, command, maxBytes: MOST_BYTES, timeoutMs: LONGEST_MS },
  };
  const id = itemwise(context, input, node, { atOnce: 1 });
  job.report.use('connection', connection, id);
  const item = context.add(`${context.step.name} item`, {
    operator: 'core.map',
    params: {
      value: { exitCode: '{{ input.code }}', stderr: '{{ input.stderr }}', stdout: '{{ input.stdout }}' },
    },
    ...(input.card === 'many' && { each: {} }),
  });
  context.wire(`${id}.out`, `${item}.in`);
  return passed(context, input, item);
}

function download(context: Context, connection: string): Given {
  const { params } = context;
  const name = params.get('options.fileName');
  if (name !== undefined && name !== '')
    context.changed('setting', 'The file keeps the name that it has there.', {
      before: asText(name),
      lost: true,
    });
  return readFile(context, pathOf(params.get('path')), fieldOf(context), connection);
}

/** The path is that of a folder. */
function uploadInto(context: Context, connection: string): Given {
  const { params } = context;
  const input = required(context);
  const field = fieldOf(context);
  const folder = below(textBeside(context, input, pathOf(params.get('path')))).replace(/^\/$/, '');
  const given = params.get('options.fileName');
  const item = input.card === 'many' ? `${input.expr}?.[index]` : input.expr;
  const name =
    given === undefined || given === ''
      ? `{{ ${item}?.[${JSON.stringify(field)}]?.name }}`
      : textBeside(context, input, given);
  const named = folder === '' ? name : `${folder}/${name}`;
  return succeeded(context, input, writeFile(context, { input, named, field, folder: connection }));
}

function ftp(context: Context): Given {
  const { params } = context;
  if ((params.text('protocol') ?? 'ftp') !== 'sftp')
    throw new NotHere('it speaks FTP, which does not encrypt', [
      'file.read, file.write and file.list with an SSH connection (SFTP), if the server has it',
      'http.request to a service that has the files',
    ]);
  params.skip(
    'options.timeout',
    'options.enableConcurrentReads',
    'options.maxConcurrentReads',
    'options.chunkSize',
  );
  const operation = params.text('operation') ?? 'download';
  const way = OVER_SFTP[operation];
  if (!way)
    throw new NotHere(`it does “${operation}”`, ['ssh.run with mv', 'file.read, file.write, file.delete']);
  return way(context, connectionOf(context, ['sftp']));
}

const OVER_SFTP: Readonly<Record<string, (context: Context, connection: string) => Given>> = {
  download: (context, connection) =>
    readFile(context, pathOf(context.params.get('path')), fieldOf(context), connection),
  upload(context, connection) {
    const { params } = context;
    const input = required(context);
    const named = below(textBeside(context, input, pathOf(params.get('path'))));
    if (params.get('binaryData') === false) return uploadText(context, connection, { input, named });
    const id = writeFile(context, { input, named, field: fieldOf(context), folder: connection });
    return withItem(context, input, id);
  },
  list,
  delete(context, connection) {
    const { params } = context;
    const input = required(context);
    if (params.flag('options.folder'))
      throw new NotHere('it deletes a folder', ['ssh.run with rm -r', 'file.list and file.delete']);
    const path = below(context.text(pathOf(params.get('path')), context.reads(input)));
    const id = itemwise(context, input, { operator: 'file.delete', params: { folder: connection, path } });
    usesFolder(context, connection, id);
    return succeeded(context, input, id);
  },
};

function uploadText(
  context: Context,
  connection: string,
  { input, named }: { readonly input: Port; readonly named: string },
): Given {
  const { params, step } = context;
  const text = itemwise(
    context,
    input,
    {
      operator: 'core.map',
      params: { value: context.text(params.get('fileContent') ?? '', context.reads(input)) },
    },
    { hint: `${step.name} text` },
  );
  const file = itemwise(
    context,
    context.port(text, 'out', { card: input.card }),
    { operator: 'file.from-text', params: { name: 'file.txt' } },
    { hint: `${step.name} file` },
  );
  const id = itemwise(context, context.port(file, 'out', { card: input.card }), {
    operator: 'file.write',
    params: { folder: connection, path: named, existing: 'replace' },
  });
  usesFolder(context, connection, id);
  return withItem(context, input, id);
}

function list(context: Context, connection: string): Given {
  const { params } = context;
  const input = required(context);
  const path = below(context.text(pathOf(params.get('path') ?? '/'), context.reads(input))).replace(
    /^\/$/,
    '',
  );
  const id = itemwise(context, input, {
    operator: 'file.list',
    params: { folder: connection, path, recursive: params.flag('recursive'), limit: 10_000 },
  });
  usesFolder(context, connection, id);
  context.changed(
    'data',
    'Entries have no rights, owner, group and time of access, and links are left out.',
    { lost: true },
  );
  const each =
    'one => ({ type: one.kind == "folder" ? "d" : "-", name: last(split(one.path, "/")), size: one.bytes, modifyTime: one.modified, path: "/" + one.path })';
  return gives(spreadItems(context, context.port(id, 'out', { card: input.card }), input.card, each));
}

export const sshEntries: readonly Entry[] = [
  {
    kind: 'executeCommand',
    word: 'close',
    becomes: '`ssh.run`',
    difference:
      'The server itself executes no commands: a connection names the machine, which may be the same one, and a user, who needs only few rights there.',
    convert: executeCommand,
  },
  {
    kind: 'ssh',
    word: 'close',
    becomes: '`ssh.run`; `file.read`, `file.write` over SFTP',
    difference:
      'The connection has the fingerprint of the server, and a command is stopped after a day; paths of files in the home folder are placeholders.',
    convert: ssh,
  },
  {
    kind: 'ftp',
    word: 'close',
    isSeldom: true,
    becomes: '`file.read`, `file.write`, `file.list`, `file.delete` over SFTP',
    difference: 'FTP without encryption is a placeholder, and so are renaming and deleting folders.',
    convert: ftp,
  },
];
