import { hash } from 'node:crypto';
import type { RunEvent } from '#shared/run-event.ts';
import { sortedJson } from '#shared/json.ts';
import { runNodes } from '../diff/run-nodes.ts';

/** By node and port: the SHA-256 of the output's canonical JSON in hex. Streams have none. */
export type OutputHashes = Record<string, Record<string, string>>;

/** The hashes of the outputs in the events of a run. */
export function outputHashes(events: Iterable<RunEvent>): OutputHashes {
  const nodes = Array.from(runNodes(events), ([node, { outputs }]) => {
    const ports = Object.entries(outputs).filter(([, value]) => !isRecordedStream(value));
    return [node, Object.fromEntries(ports.map(([port, value]) => [port, hashOf(value)]))] as const;
  });
  return Object.fromEntries(nodes.filter(([, ports]) => Object.keys(ports).length > 0));
}

function isRecordedStream(value: unknown): boolean {
  return typeof value === 'object' && value !== null && '$items' in value;
}

function hashOf(value: unknown): string {
  return hash('sha256', sortedJson(value ?? null), 'hex');
}
