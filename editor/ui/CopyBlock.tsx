import { CopyButton } from './CopyButton.tsx';
import { sectionTitle } from './styles.ts';

interface CopyBlockProps {
  title: string;
  text: string;
  /** The label of the button: `Copy the key`. */
  label: string;
}

/** A text to copy as a whole, with a button that does so. */
export function CopyBlock({ title, text, label }: CopyBlockProps) {
  return (
    <section aria-label={title} className="flex flex-col gap-1">
      <h3 className={sectionTitle}>{title}</h3>
      <div className="flex items-start gap-2 rounded-md border border-line bg-surface-2 py-1.5 pr-1.5 pl-2.5">
        <code className="min-w-0 flex-1 py-0.5 font-mono text-xs wrap-anywhere">{text}</code>
        <CopyButton text={text} label={label} />
      </div>
    </section>
  );
}
