import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './server.ts';

/** A fenced block of a page. */
export interface Fence {
  readonly page: string;
  /** 1-based, of its first line of text. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
  /** The line of text before it. */
  readonly before: string;
}

export function fencesOf(page: string): Fence[] {
  const lines = readFileSync(join(root, page), 'utf8').split('\n');
  const fences: Fence[] = [];
  let open: { at: number; language: string } | undefined;
  for (const [at, line] of lines.entries()) {
    if (!line.startsWith('```')) continue;
    if (open === undefined) open = { at, language: line.slice(3).trim() };
    else {
      const before = lines.slice(0, open.at).findLast((other) => other.trim() !== '') ?? '';
      const text = lines.slice(open.at + 1, at).join('\n');
      fences.push({ page, line: open.at + 2, language: open.language, text, before });
      open = undefined;
    }
  }
  if (open !== undefined) throw new Error(`${page}:${open.at + 1}: the block is not closed.`);
  return fences;
}

/** Files that a page of the repository, or of another folder, links to. */
export function linkedFiles(page: string, folder = root): string[] {
  const text = readFileSync(join(folder, page), 'utf8').replaceAll(/```[^]*?```|(`+)[^`]+\1/g, '');
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? '');
  const local = targets.filter((target) => !/^(?:[a-z]+:|[#/])/.test(target));
  return local.map((target) => join(dirname(page), target.replace(/#.*/, '')));
}
