import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readJsonBody } from '../../../access/http/read-json.ts';
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

/** The flows of a file, a folder or a zip archive; `single` if it is the JSON of one flow. */
export function readImport(file: string, cwd: string): Packed & { readonly single: boolean } {
  const path = resolve(cwd, file);
  try {
    if (statSync(path).isDirectory()) return { ...flowsIn(filesBelow(path)), single: false };
    const bytes = readFileSync(path);
    if (isZip(bytes)) return { ...flowsIn(filesOfZip(bytes)), single: false };
    return { flows: [{ file, flow: flowOfFile(path, readJsonBody(bytes)) }], left: [], single: true };
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    throw new UsageError(`${file} cannot be read (${code}).`);
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
