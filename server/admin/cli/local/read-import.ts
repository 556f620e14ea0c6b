import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readJsonBody } from '../../../access/http/read-json.ts';
import { ServiceError } from '../../../base/errors/errors.ts';
import type { GivenFile } from '../../../flows/imports/frame/reading.ts';
import { givenFile, isForeign, isReadable } from '../../../flows/imports/import-files.ts';
import {
  filesOfZip,
  flowOfFile,
  flowsIn,
  isPackedFile,
  isZip,
  MAX_FILE_BYTES,
  MAX_FILES,
  type Packed,
  type PackedFile,
  tooMuch,
} from '../../../flows/awel/packages.ts';
import { UsageError } from '../io.ts';

/** The flows and files that were given to import. */
export interface Given extends Packed {
  /** Whether it is the JSON of one flow. */
  readonly single: boolean;
  /** Files of other products. */
  readonly foreign: readonly GivenFile[];
}

/** The flows of a file, a folder or a zip archive. */
export function readImport(file: string, cwd: string): Given {
  const path = resolve(cwd, file);
  try {
    if (statSync(path).isDirectory()) return sorted(filesBelow(path));
    return readBytes(file, readFileSync(path));
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    throw new UsageError(`${file} cannot be read (${code}).`);
  }
}

/** The flows in the bytes of a file, whose name says where it is from. */
export function readBytes(file: string, bytes: Buffer): Given {
  if (isZip(bytes)) return sorted(filesOfZip(bytes));
  const given = givenFile({ path: file, bytes });
  if (isReadable(given)) return { flows: [], left: [], foreign: [given], single: true };
  return {
    flows: [{ file, flow: flowOfFile(file, readJsonBody(bytes)) }],
    left: [],
    foreign: [],
    single: true,
  };
}

/** Sorts files into those of other products and those of DB-GPT. */
function sorted(files: readonly PackedFile[]): Given {
  const foreign: GivenFile[] = [];
  const rest = files.filter((file) => {
    const given = attempted(file);
    if (given === undefined || !isForeign(given)) return true;
    foreign.push(given);
    return false;
  });
  return { ...flowsIn(rest), foreign, single: false };
}

/** A damaged file is reported with those of DB-GPT. */
function attempted(file: PackedFile): GivenFile | undefined {
  try {
    return givenFile(file);
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

/** Links are not followed, so that a folder cannot lead out of itself. */
function filesBelow(folder: string): PackedFile[] {
  const files: PackedFile[] = [];
  const open = [''];
  for (let below = open.shift(); below !== undefined; below = open.shift())
    for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
      const path = `${below}${entry.name}`;
      if (entry.isDirectory() && isPackedFile(`${path}/x.json`)) open.push(`${path}/`);
      if (!entry.isFile() || !isPackedFile(path)) continue;
      const bytes = readFileSync(join(folder, path));
      if (files.length === MAX_FILES || bytes.length > MAX_FILE_BYTES) throw tooMuch('folder');
      files.push({ path, bytes });
    }
  return files;
}
