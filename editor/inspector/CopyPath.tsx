import { CopyButton } from '../ui/CopyButton.tsx';

/** The path by which an expression of a later node reads this value. */
export function CopyPath({ path }: { path: string }) {
  return (
    <span className="flex min-w-0 items-center gap-1">
      <code className="min-w-0 truncate font-mono text-xs text-text-2">{path}</code>
      <CopyButton text={`{{ ${path} }}`} label={`Copy ${path}`} />
    </span>
  );
}
