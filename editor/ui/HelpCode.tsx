import { helpAddress } from '../model/help-pages.ts';
import { cx } from './cx.ts';

interface HelpCodeProps {
  code: string;
  /** Of the help; without one it is only a text. */
  page: string | undefined;
  className?: string;
}

/** A code that leads to what the help says about it. */
export function HelpCode({ code, page, className }: HelpCodeProps) {
  const text = <code className={cx('font-mono', page === undefined && className)}>{code}</code>;
  if (page === undefined) return text;
  return (
    <a
      href={helpAddress(page)}
      target="_blank"
      rel="noopener"
      title="What the help says about it"
      className={cx('underline decoration-dotted underline-offset-2', className)}
    >
      {text}
    </a>
  );
}
