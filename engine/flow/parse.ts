import type { z } from 'zod';
import { FORMATS, Flow, formatOf, MAX_BODY_DEPTH, MAX_NODES } from '#shared/flow.ts';
import type { Problem, ProblemCode } from '#shared/problem.ts';
import { type Path, formatPath, problemPlace } from './field-path.ts';
import { hasBodies, placedNodes } from './bodies.ts';
import { issueMessage } from './issue-sentence.ts';
import { readJson } from './read-json.ts';
import { type Locate, sourceMap } from './source-map.ts';

/** Names that lead from data to code in JavaScript; expressions cannot read them, and graphlib fails with them. */
export const RESERVED_IDS: readonly string[] = ['constructor', 'prototype'];

/** The largest flow file, in bytes of UTF-8. */
export const MAX_FLOW_BYTES = 10_000_000;

/** A flow's text as it was read, also where it has errors. */
export interface Parsed {
  /** Absent if the text has an error, except an error in its `id` only. */
  readonly flow: Flow | undefined;
  readonly problems: Problem[];
  /** Position of a value of the flow in the text. */
  readonly locate: Locate;
}

/**
 * Parses a flow file: strict JSON that matches the schema. Never throws; all problems are listed with their position.
 * Unknown keys are kept, defaults are filled in. `id` is the file's name.
 */
export function parse(text: string | Uint8Array, options: { id?: string } = {}): Parsed {
  if (text.length > MAX_FLOW_BYTES)
    return failed('too-large', `The file is larger than ${MAX_FLOW_BYTES / 1e6} MB; split the flow.`);
  const decoded = typeof text === 'string' ? text : decodeUtf8(text);
  if (decoded === undefined)
    return failed('invalid-utf8', 'The file is not valid UTF-8; save it in that encoding.');
  return parseText(decoded, options);
}

/** The text of a UTF-8 file without its byte order mark; undefined if it is not valid UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function failed(code: ProblemCode, message: string): Parsed {
  return { flow: undefined, problems: [{ code, severity: 'error', message }], locate: () => undefined };
}

function parseText(text: string, options: { id?: string }): Parsed {
  const locate = sourceMap(text);
  const { value, problems } = readJson(text);
  if (value === undefined) return { flow: undefined, problems, locate };
  const found = (code: ProblemCode, path: Path, message: string): Problem => ({
    code,
    severity: 'error',
    message,
    ...problemPlace(path),
    ...locate(path),
  });
  const document = known(value);
  const early = earlyProblem(value, document);
  if (early) return { flow: undefined, problems: [...problems, found(...early)], locate };
  const result = Flow.safeParse(document);
  const errors = result.success
    ? [...reservedIds(result.data), ...olderFormat(result.data), ...wrongBodies(result.data)]
    : result.error.issues.map(fieldProblem);
  if (!result.success || errors.length > 0) {
    return { flow: undefined, problems: [...problems, ...errors.map((e) => found(...e))], locate };
  }
  const { id } = result.data;
  if (options.id !== undefined && id !== options.id) {
    problems.push(
      found(
        'id-mismatch',
        ['id'],
        `The id is \`${id}\`, but the file is named \`${options.id}\`; make them the same.`,
      ),
    );
  }
  return { flow: result.data, problems, locate };
}

type Found = [code: ProblemCode, path: Path, message: string];

/** A document of a known format. Additions of each format are optional in the next, so no document needs a migration. */
function known(value: unknown): object | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return FORMATS.some((format) => format === (value as { format?: unknown }).format) ? value : undefined;
}

/** Problems that make it pointless to check single fields. */
function earlyProblem(value: unknown, document: object | undefined): Found | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return ['bad-field', [], 'A flow is a JSON object with `format`, `id`, `nodes` and `edges`.'];
  }
  if (!document) {
    const format: unknown = (value as { format?: unknown }).format;
    const said =
      format === undefined ? 'The flow does not say its format' : `This is format ${JSON.stringify(format)}`;
    return ['bad-format', ['format'], `${said}; this version reads the formats ${FORMATS.join(' and ')}.`];
  }
  const { nodes } = document as { nodes?: unknown };
  const count = typeof nodes === 'object' && nodes !== null ? Object.keys(nodes).length : 0;
  if (count > MAX_NODES) return ['too-many-nodes', ['nodes'], tooManyNodes(count)];
  return undefined;
}

export function tooManyNodes(count: number): string {
  return `The flow has ${count} nodes, the limit is ${MAX_NODES}; split it.`;
}

function fieldProblem(issue: z.core.$ZodIssue): Found {
  const path = issue.path.map((key) => (typeof key === 'number' ? key : String(key)));
  return ['bad-field', path, issueMessage(issue, formatPath(path) || 'the flow')];
}

/** Ids that are there twice, and bodies that are nested too deep. */
function wrongBodies(flow: Flow): Found[] {
  if (!hasBodies(flow)) return [];
  const found: Found[] = [];
  const seen = new Map<string, Path>();
  const take = (id: string, path: Path): void => {
    const before = seen.get(id);
    if (before === undefined) seen.set(id, path);
    else
      found.push([
        'bad-body',
        path,
        `\`${id}\` is already the id of ${formatPath(before)}; ids are unique in a flow, also in bodies.`,
      ]);
  };
  for (const { id, node, path, within } of placedNodes(flow.nodes)) {
    take(id, path);
    if (node.body) take(node.body.start, [...path, 'body', 'start']);
    if (node.body && within.length === MAX_BODY_DEPTH)
      found.push([
        'bad-body',
        [...path, 'body'],
        `Bodies are nested at most ${MAX_BODY_DEPTH} deep; call a flow instead.`,
      ]);
  }
  return found;
}

/** An older server would ignore what it does not know. */
function olderFormat(flow: Flow): Found[] {
  const needed = formatOf(flow);
  if (flow.format >= needed) return [];
  const message = `The flow uses \`each\`, \`body\` or \`pick\`, which needs \`"format": ${needed}\`; servers that read only format ${flow.format} would ignore it.`;
  return [['bad-format', ['format'], message]];
}

function reservedIds(flow: Flow): Found[] {
  const found: Found[] = [];
  for (const { id, path } of placedNodes(flow.nodes))
    if (RESERVED_IDS.includes(id))
      found.push(['bad-field', path, `\`${id}\` cannot be the id of a node; rename it.`]);
  return found;
}
