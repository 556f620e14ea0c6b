import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** What is wrong with the files of a server that has stopped: databases with faults, JSON that is torn, files that were put aside. */
export function damagesIn(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files
    .flatMap((name) => damageOf(join(folder, name)) ?? [])
    .map((fault) => fault.slice(folder.length + 1));
}

function damageOf(path: string): string | undefined {
  if (path.includes('.broken')) return `${path}: put aside`;
  try {
    if (path.endsWith('.db')) return faultOf(path);
    if (path.endsWith('.json')) JSON.parse(readFileSync(path, 'utf8'));
    return undefined;
  } catch (error) {
    return `${path}: ${(error as Error).message}`;
  }
}

function faultOf(path: string): string | undefined {
  const db = new DatabaseSync(path);
  try {
    const rows = db.prepare('PRAGMA integrity_check').all();
    const said = rows.map(({ integrity_check: line }) => String(line)).join('; ');
    return said === 'ok' ? undefined : `${path}: ${said}`;
  } finally {
    db.close();
  }
}
