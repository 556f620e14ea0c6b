import { unzipSync } from 'fflate';
import { ServiceError } from '../../base/errors/errors.ts';
import { readJsonBody } from '../../access/http/read-json.ts';
import { isRecord } from '#shared/json.ts';
import { type About, looksLikeFlow, unwrapped } from './awel-flow.ts';
import { manifestTexts } from './manifest-texts.ts';

/** A file of a folder or an archive; its path has forward slashes. */
export interface PackedFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

export interface PackedFlow {
  readonly file: string;
  /** The flow object, to be read as an `AwelFlow`. */
  readonly flow: unknown;
}

/** A file that was not imported, with the reason. */
export interface LeftOut {
  readonly file: string;
  readonly message: string;
}

export interface Packed {
  readonly flows: readonly PackedFlow[];
  readonly left: readonly LeftOut[];
}

const MANIFEST = 'dbgpts.toml';
/** Limits for reading a folder or an archive. */
export const MAX_FILES = 2000;
export const MAX_FILE_BYTES = 5_000_000;
const MAX_BYTES = 50_000_000;

/** Whether an import reads the file: flows, and the manifests of packages. */
export function isPackedFile(path: string): boolean {
  const steps = path.split('/');
  if (steps.some((step) => step === 'node_modules' || step === '__MACOSX' || step.startsWith('.')))
    return false;
  return steps.at(-1) === MANIFEST || /\.(?:json|ya?ml)$/i.test(path);
}

/** Only the start of a zip file is `PK` with these numbers. */
export function isZip(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, 4)).toString('latin1') === 'PK\u0003\u0004';
}

/** The files of an archive that an import reads. Throws `invalid_request` for one that is damaged or too large. */
export function filesOfZip(bytes: Uint8Array): PackedFile[] {
  let count = 0;
  let total = 0;
  const filter = ({ name, originalSize }: { name: string; originalSize: number }): boolean => {
    if (!isPackedFile(name)) return false;
    count += 1;
    total += originalSize;
    if (count > MAX_FILES || total > MAX_BYTES || originalSize > MAX_FILE_BYTES) throw tooMuch('archive');
    return true;
  };
  try {
    return Object.entries(unzipSync(bytes, { filter })).map(([path, content]) => ({ path, bytes: content }));
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new ServiceError('invalid_request', 'The zip archive is damaged; pack it again.', {
      param: 'file',
    });
  }
}

export function tooMuch(what: string): ServiceError {
  return new ServiceError(
    'invalid_request',
    `The ${what} is too large: at most ${MAX_FILES} files of JSON are read, each of at most ${MAX_FILE_BYTES / 1_000_000} MB. Import a part of it.`,
    { param: 'file' },
  );
}

/** A flow in a file of its own, which may contain its nodes and edges alone. */
export function flowOfFile(path: string, value: unknown): unknown {
  const name = nameOf(path);
  return unwrapped(value, name === undefined ? {} : { name });
}

/**
 * The flows in a folder or an archive: from packages of DB-GPT's hub, exports, and files with only nodes and edges. Everything
 * else is left out with a reason.
 */
export function flowsIn(files: readonly PackedFile[]): Packed {
  const flows: PackedFlow[] = [];
  const left: LeftOut[] = [];
  const manifests = files.filter(({ path }) => path.split('/').at(-1) === MANIFEST).map(manifestOf);
  for (const { path, bytes } of files.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    if (!path.toLowerCase().endsWith('.json')) continue;
    try {
      const value = readJsonBody(Buffer.from(bytes));
      const about = manifests.find((one) => one.isOf(path))?.about;
      const flow = about ? unwrapped(value, about) : flowOfFile(path, value);
      if (looksLikeFlow(flow)) flows.push({ file: path, flow });
      else left.push({ file: path, message: whyNot(value) });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      left.push({ file: path, message: error.message });
    }
  }
  for (const { path, foreign } of manifests) if (foreign) left.push({ file: path, message: foreign });
  return { flows, left: left.toSorted((a, b) => (a.file < b.file ? -1 : 1)) };
}

interface Manifest {
  readonly path: string;
  readonly about: About;
  /** The reason why its package has no flow to import. */
  readonly foreign: string | undefined;
  isOf(path: string): boolean;
}

const KINDS = ['flow', 'operator', 'app', 'agent', 'resource'] as const;

function manifestOf({ path, bytes }: PackedFile): Manifest {
  const texts = manifestTexts(new TextDecoder().decode(bytes));
  const folder = path.slice(0, -MANIFEST.length);
  const kind = KINDS.find((one) => texts.has(`${one}.name`)) ?? 'flow';
  const about = Object.fromEntries(
    (['name', 'label', 'description'] as const).flatMap((key) => {
      const text = texts.get(`${kind}.${key}`);
      return text ? [[key, text]] : [];
    }),
  );
  const file = texts.get('json_config.file_path');
  const isPython = kind !== 'flow' || texts.get('flow.definition_type') === 'python' || file === undefined;
  return {
    path,
    about,
    foreign: isPython
      ? `The ${kind} ${about['name'] ?? folder} is written in Python, which does not run here.`
      : undefined,
    isOf: (one) => !isPython && one.startsWith(folder) && `/${one}`.endsWith(`/${file}`),
  };
}

function whyNot(value: unknown): string {
  if (isRecord(value) && value['format'] !== undefined && isRecord(value['nodes']))
    return 'It is a flow file of Weft, which belongs into the folder of flows.';
  return 'It is no flow: it has no nodes and edges.';
}

/** Generic names of files and folders, which do not describe the flow in them. */
const USUAL = new Set(['flow_definition', 'definition', 'flow', '']);

function nameOf(path: string): string | undefined {
  const steps = path.replace(/\.json$/i, '').split(/[/\\]/);
  return steps.findLast((step) => !USUAL.has(step));
}
