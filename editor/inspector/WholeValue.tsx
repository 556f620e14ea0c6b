import { useRuns } from '../session/session.tsx';

/** A link to the whole value, if it was too large for its event. */
export function WholeValue({ value }: { value: unknown }) {
  const run = useRuns((state) => state.shown?.id);
  const hash = (value as { $large?: { hash?: string } } | null | undefined)?.$large?.hash;
  if (run === undefined || hash === undefined) return null;
  return (
    <a
      href={`/api/v1/runs/${run}/values/${hash}`}
      target="_blank"
      rel="noreferrer"
      className="shrink-0 text-xs text-accent hover:underline"
    >
      Show it whole
    </a>
  );
}
