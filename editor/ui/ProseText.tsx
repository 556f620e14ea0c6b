/** A sentence of the catalog or of a problem; text in backticks is code. */
export function ProseText({ text }: { text: string }) {
  return (
    <span>
      {text.split(/(`[^`]+`)/).map((part, i) =>
        part.startsWith('`') && part.length > 2 ? (
          <code key={i} className="rounded bg-surface-3 px-1 font-mono text-[0.92em]">
            {part.slice(1, -1)}
          </code>
        ) : (
          part
        ),
      )}
    </span>
  );
}
