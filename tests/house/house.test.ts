import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../support/server.ts';
import { floors } from './floors.ts';
import { onlyTested, type Room, type Source, sourcesOf, testsOf } from './sources.ts';

/** Most lines of a crumb, a small file with one importer: the number of crumbs may only fall. */
const CRUMB_LINES = 40;
const CRUMBS = 34;

/** Folders with a file for each thing of a kind: one that is added belongs there, however small it is. */
const KINDS =
  /^(server\/(api\/routes|admin\/cli\/commands|integrations\/(connections\/kinds|documents\/formats)|storage\/database\/tables)|engine\/(operators|check\/rules|expr\/library)|editor\/form\/fields|shared\/errors)\//;

/**
 * Most files that import each other in a circle, types included: two that are one idea may; the limit may only fall.
 */
const LARGEST_CIRCLE = 2;

/** Where an invariant is numbered, by its letters. */
const NUMBERED = /^\s*(?:\*|\/\/) ([A-Z]+\d+)\. /gm;
/** Where a comment or the title of a test begins with the names of invariants: `FD1`, or `FD1, FD2`. */
const NAMED =
  /(?:\/\*\* |\/\/ |\b(?:test|it|describe)\(\s*['"`])([A-Z]+[1-9](?:, [A-Z]+[1-9])*)(?=[:;.,] | \*\/| of `|$)/gm;
const COMMENT_LINE = /^\s*(?:\/?\*\*?|\/\/) .*$/gm;
/** The name of a file with the end of its path. */
const FILE_NAME = /[`(]((?:[\w.-]+\/)*[\w-][\w.-]*\.(?:tsx?|m?js))[`)]/g;
/** Pages about the sources. */
const OF_SOURCES =
  /^(?:CONTRIBUTING|SECURITY|(?:engine|server|bench|tests\/services)\/README|docs\/(?:architecture|walks|releasing|connection-kinds|decisions\/.*))\.md$/;
/** The promises of several servers together, which the judge of the chaos has (`bench/soak/chaos/judge.ts`). */
const OF_SERVERS = /^(?:C[1-8]|S[12]|B[12])$/;

const rooms: readonly Room[] = ['shared', 'engine', 'server', 'editor'];
const all = new Map(rooms.map((room) => [room, sourcesOf(room)]));

for (const [room, levels] of Object.entries(floors)) {
  const sources = [...all.values()].flat().filter(({ path }) => path.startsWith(`${room}/`));
  const height = new Map(levels.flatMap((level, i) => level.map((place) => [place, i] as const)));

  /** The file itself if the floors name it, otherwise its folder directly below the room or the wing. */
  const placeOf = (path: string): string => {
    const [first = '', ...rest] = path.slice(room.length + 1).split('/');
    return rest.length > 0 || height.has(first) ? first : '.';
  };

  test(`${room}: each folder has its floor, and each floor its folders`, () => {
    const there = new Set(sources.map(({ path }) => placeOf(path)));
    expect([...there].filter((place) => !height.has(place))).toEqual([]);
    expect([...height.keys()].filter((place) => !there.has(place))).toEqual([]);
  });

  test(`${room}: imports go down only`, () => {
    const up = sources.flatMap(({ path, imports }) => {
      const from = placeOf(path);
      const isDown = (target: string): boolean => {
        const to = placeOf(target);
        return to === from || (height.get(to) ?? 0) < (height.get(from) ?? 0);
      };
      return imports
        .filter((target) => target.startsWith(`${room}/`) && !isDown(target))
        .map((target) => `${path} imports ${target}`);
    });
    expect(up).toEqual([]);
  });
}

test('small files that one other file needs do not become more', () => {
  expect([...all.values()].flatMap(crumbs).length).toBeLessThanOrEqual(CRUMBS);
});

test.each(rooms)('%s: no circle of files grows', (room) => {
  expect(circles(all.get(room) ?? []).filter((circle) => circle.length > LARGEST_CIRCLE)).toEqual([]);
});

test.each(['engine', 'server', 'editor'] as const)('%s: what only tests import stands with them', (room) => {
  expect(onlyTested(room)).toEqual([]);
});

test.each(rooms)('%s: the letters of invariants are given once', (room) => {
  const owners = Map.groupBy(invariantsOf(room), ({ name }) => name);
  expect([...owners.values()].filter(({ length }) => length > 1)).toEqual([]);
});

test.each(rooms)('%s: an invariant that a comment or a test names is there', (room) => {
  const known = new Set(invariantsOf(room).map(({ name }) => name));
  const named = [...(all.get(room) ?? []), ...testsOf(room)].flatMap(({ path, text }) =>
    [...text.matchAll(NAMED)].flatMap(([, names = '']) => names.split(', ').map((name) => ({ path, name }))),
  );
  expect(named.filter(({ name }) => !known.has(name) && !OF_SERVERS.test(name))).toEqual([]);
});

describe('files are named that are there', () => {
  const files = readdirSync(root, { withFileTypes: true }).flatMap(({ name }) =>
    name === 'node_modules' || name === 'dist' || name.startsWith('.') ? [] : pathsBelow(name),
  );
  const gone = (texts: readonly { path: string; text: string }[]) =>
    texts.flatMap(({ path, text }) =>
      [...text.matchAll(FILE_NAME)]
        .map(([, name = '']) => name.replace(/^(?:\.\.\/)+/, ''))
        .filter((name) => !files.some((file) => file === name || file.endsWith(`/${name}`)))
        .map((name) => ({ path, name })),
    );

  test('in comments', () => {
    const tests = ([...rooms, 'tests', 'bench'] as const).flatMap(testsOf);
    const comments = [...all.values(), tests].flat().map(({ path, text }) => ({
      path,
      text: [...text.matchAll(COMMENT_LINE)].map(([line]) => line).join('\n'),
    }));
    expect(gone(comments)).toEqual([]);
  });

  test('in pages about the sources', () => {
    const pages = files.filter((file) => OF_SOURCES.test(file));
    expect(pages.length).toBeGreaterThan(80);
    expect(gone(pages.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') })))).toEqual([]);
  });
});

test('decisions are numbered without gaps, besides those that were never taken', () => {
  const folder = new URL('../../docs/decisions/', import.meta.url);
  const pages = readdirSync(folder).filter((name) => /^\d{4}-/.test(name));
  const numbers = pages.map((name) => Number(name.slice(0, 4)));
  for (const [at, page] of pages.entries())
    expect(readFileSync(new URL(page, folder), 'utf8')).toMatch(new RegExp(`^# ${numbers[at]}\\. `));
  const [, unused = ''] =
    /^Never used: ([\d, ]+)\.$/m.exec(readFileSync(new URL('README.md', folder), 'utf8')) ?? [];
  const all = [...numbers, ...unused.split(', ').map(Number)].sort((a, b) => a - b);
  expect(all).toEqual(all.map((_, at) => at + 1));
});

/** A file of the project, or all files of a folder. */
function pathsBelow(name: string): string[] {
  if (!statSync(join(root, name)).isDirectory()) return [name];
  return readdirSync(join(root, name), { recursive: true, encoding: 'utf8' }).map((path) => join(name, path));
}

function invariantsOf(room: Room): { path: string; name: string }[] {
  return (all.get(room) ?? []).flatMap(({ path, text }) =>
    [...text.matchAll(NUMBERED)].map(([, name = '']) => ({ path, name })),
  );
}

/** Small files with one importer, besides those that have a test of their own or are loaded on their own. */
function crumbs(sources: readonly Source[]): string[] {
  const importers = new Map<string, number>();
  for (const { imports } of sources)
    for (const path of imports) importers.set(path, (importers.get(path) ?? 0) + 1);
  const loaded = new Set(sources.flatMap(({ loads }) => loads));
  return sources
    .filter(({ path, text }) => importers.get(path) === 1 && text.split('\n').length - 1 <= CRUMB_LINES)
    .filter(({ path, isTested }) => !isTested && !loaded.has(path) && !KINDS.test(path))
    .map(({ path }) => path);
}

/** The groups of files that all reach each other by imports (Tarjan's strongly connected components). */
function circles(sources: readonly Source[]): string[][] {
  const imports = new Map(sources.map((source) => [source.path, source.imports]));
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const found: string[][] = [];
  const visit = (path: string): void => {
    order.set(path, order.size);
    lowest.set(path, order.get(path) as number);
    open.push(path);
    for (const target of imports.get(path) ?? []) {
      if (!order.has(target)) visit(target);
      if (open.includes(target))
        lowest.set(path, Math.min(lowest.get(path) as number, lowest.get(target) as number));
    }
    if (lowest.get(path) !== order.get(path)) return;
    const circle = open.splice(open.indexOf(path));
    if (circle.length > 1) found.push(circle.sort());
  };
  for (const path of imports.keys()) if (!order.has(path)) visit(path);
  return found;
}
