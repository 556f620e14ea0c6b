import { hash } from 'node:crypto';
import type { RunEvent } from '#shared/run-event.ts';
import { runNodes } from '../diff/run-nodes.ts';

/** By node and port: the SHA-256 of the output's canonical JSON in hex. Streams have none. */
export type OutputHashes = Record<string, Record<string, string>>;

export function outputHashes(events: Iterable<RunEvent>): OutputHashes {
  const nodes = Array.from(runNodes(events), ([node, { outputs }]) => {
    const ports = Object.entries(outputs).filter(([, value]) => !isStream(value));
    return [node, Object.fromEntries(ports.map(([port, value]) => [port, hashOf(value)]))] as const;
  });
  return Object.fromEntries(nodes.filter(([, ports]) => Object.keys(ports).length > 0));
}

function isStream(value: unknown): boolean {
  return typeof value === 'object' && value !== null && '$items' in value;
}

function hashOf(value: unknown): string {
  return hash('sha256', JSON.stringify(canonical(value)) ?? 'null', 'hex');
}

/** The value with the keys of its objects in order, so that equal values have the same text. */
function canonical(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(canonical);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([name, field]) => [name, canonical(field)]));
}
