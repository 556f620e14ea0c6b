import { ConnectionKindName, formatWith } from '#shared/connection.ts';
import type { Line } from './move-all.ts';

/** The versions for which an export can be adapted. */
export const OLDER = ['0.2'] as const;

/** Columns that its tables lack, which would be refused; what is in them is not missed there. */
const LATER_COLUMNS: Readonly<Record<string, readonly string[]>> = { conversation_messages: ['run'] };

/** What an older version lacks of an export. */
interface Lacking {
  /** Left out: an older version would refuse to start. */
  readonly connections: string[];
  readonly services: string[];
  /** In the file, and refused there: their format is newer. */
  readonly flows: string[];
}

/**
 * Adapts the lines of an export for servers of 0.2: `adapt` leaves out the connections and services that they do not read and the
 * columns that they do not have, and `lacking` lists the former, and the flows that they do not serve.
 */
export function forOlder(): {
  readonly adapt: (line: Line) => Line | undefined;
  readonly lacking: Lacking;
} {
  const lacking: Lacking = { connections: [], services: [], flows: [] };
  const adapt = (line: Line): Line | undefined => {
    if (line.kind === 'service') {
      lacking.services.push(line.id);
      return undefined;
    }
    if (line.kind === 'row') return withoutLater(line);
    if (line.kind === 'flow' && [line.text, line.draft?.text].some(isNewer)) lacking.flows.push(line.id);
    if (line.kind !== 'document' || line.part !== 'connections') return line;
    const entries = Object.entries(line.value as Readonly<Record<string, { readonly kind?: unknown }>>);
    const known = entries.filter(([name, { kind }]) => {
      const { data } = ConnectionKindName.safeParse(kind);
      if (data !== undefined && formatWith(data) === 1) return true;
      lacking.connections.push(name);
      return false;
    });
    return { ...line, value: Object.fromEntries(known) };
  };
  return { adapt, lacking };
}

function withoutLater(line: Extract<Line, { kind: 'row' }>): Line {
  const later = LATER_COLUMNS[line.table];
  if (later === undefined) return line;
  return {
    ...line,
    row: Object.fromEntries(Object.entries(line.row).filter(([name]) => !later.includes(name))),
  };
}

function isNewer(text: string | undefined): boolean {
  if (text === undefined) return false;
  try {
    const { format } = JSON.parse(text) as { format?: unknown };
    return typeof format === 'number' && format > 1;
  } catch {
    // A draft may be any text.
    return false;
  }
}
