import { CopyButton } from './CopyButton.tsx';
import { sectionTitle } from './styles.ts';

interface CopyBlockProps {
  title: string;
  text: string;
  /** What the button says: `Copy the key`. */
  label: string;
}

/** A text that is to be taken elsewhere, whole, with the button that copies it. */
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
