import { RESERVED_IDS } from '#engine/check';
import { ID_PATTERN } from '#shared/flow.ts';

/** A valid id as close to the text as possible; `otherwise` if no character of it is valid. */
export function idFrom(text: string, otherwise: string): string {
  const id = text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^[_0-9]+|_+$/g, '')
    .slice(0, 60);
  return ID_PATTERN.test(id) && !RESERVED_IDS.includes(id) ? id : otherwise;
}

/** The id, or the first free one of `id_2`, `id_3`, …. */
export function freeId(id: string, isTaken: (id: string) => boolean): string {
  if (!isTaken(id)) return id;
  for (let n = 2; ; n++) if (!isTaken(numbered(id, n))) return numbered(id, n);
}

/** Returns free ids one after the other; each of many equal names costs only one look-up. */
export function idSource(taken: Iterable<string>): (id: string) => string {
  const known = new Set(taken);
  const next = new Map<string, number>();
  return (id) => {
    let free = id;
    for (let n = next.get(id) ?? 2; known.has(free); n++) {
      free = numbered(id, n);
      next.set(id, n);
    }
    known.add(free);
    return free;
  };
}

function numbered(id: string, n: number): string {
  return `${id.slice(0, 56)}_${n}`;
}

/** The id for a flow of DB-GPT: its uid if that is valid, otherwise a free one derived from its name or label. */
export function proposedId(
  {
    uid,
    name,
    label,
  }: { uid?: string | null | undefined; name?: string | null | undefined; label?: string | null | undefined },
  isTaken: (id: string) => boolean,
): string {
  if (uid && ID_PATTERN.test(uid)) return uid;
  return freeId(idFrom(name || label || '', 'imported_flow'), isTaken);
}

/** Ids for ports, which DB-GPT names freely and not always uniquely. */
export function portNames(
  ports: readonly { name?: string | null | undefined }[],
  otherwise: string,
): string[] {
  const idOf = idSource([]);
  return ports.map(({ name }) => idOf(name && ID_PATTERN.test(name) ? name : idFrom(name ?? '', otherwise)));
}
