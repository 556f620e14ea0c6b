import { CopyButton } from './CopyButton.tsx';

/** HTML to copy, which shows a page of ours within another one. */
export function EmbedSnippet({ text }: { text: string }) {
  return (
    <div className="flex flex-col gap-1">
      <div className="flex items-center gap-1 text-xs font-medium">
        <span className="flex-1">For the HTML of the site</span>
        <CopyButton label="Copy the HTML" text={text} />
      </div>
      <pre
        tabIndex={0}
        aria-label="HTML of the frame"
        className="overflow-x-auto rounded-md border border-line bg-surface-2 p-2 font-mono text-xs"
      >
        {text}
      </pre>
    </div>
  );
}
