import { CircleX, Info } from 'lucide-react';
import { toText } from '#engine/check';
import type { Preview } from '../model/expression/expression-preview.ts';
import { ProseText } from '../ui/ProseText.tsx';

const LONGEST = 400;

/** The value of the expression above. */
export function PreviewLine({ preview, focused }: { preview: Preview; focused: boolean }) {
  switch (preview.kind) {
    case 'plain':
      return null;
    case 'value':
      return (
        <div className="flex min-w-0 items-baseline gap-1.5 rounded-md bg-surface-2 px-2 py-1 text-xs">
          <span className="shrink-0 text-text-2" title="From the last run">
            =
          </span>
          <output
            aria-label="Preview from the last run"
            className="line-clamp-4 min-w-0 font-mono break-words whitespace-pre-wrap"
          >
            {valueText(preview.value)}
          </output>
          <span className="ml-auto shrink-0 text-[11px] text-text-2">{typeText(preview.value)}</span>
        </div>
      );
    case 'missing':
      if (!focused) return null;
      return (
        <p className="flex items-start gap-1.5 text-xs text-text-2">
          <Info aria-hidden className="mt-0.5 size-3.5 shrink-0" />
          <ProseText text={preview.message} />
        </p>
      );
    case 'error':
      // The check reports mistakes of grammar and names with the same words.
      if (preview.code.startsWith('expression-')) return null;
      return (
        <p className="flex items-start gap-1.5 text-xs text-bad">
          <CircleX aria-hidden className="mt-0.5 size-3.5 shrink-0" />
          <span className="min-w-0">
            With the last run’s data: <ProseText text={preview.message} />{' '}
            <code className="font-mono">{preview.code}</code>
          </span>
        </p>
      );
  }
}

function valueText(value: unknown): string {
  if (value === '') return '(empty text)';
  if (typeof value === 'string') return cut(value);
  if (typeof value === 'object' && value !== null) return cut(jsonText(value));
  return String(value);
}

function jsonText(value: object): string {
  try {
    return toText(value);
  } catch {
    return Array.isArray(value) ? `[${value.length} elements]` : '{…}';
  }
}

function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

function typeText(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return `array, ${value.length}`;
  return typeof value === 'string' ? 'text' : typeof value;
}
