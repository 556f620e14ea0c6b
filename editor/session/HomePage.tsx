import { type ReactNode, useEffect, useRef, useState } from 'react';
import { tellFirstPicture } from '../ui/first-picture.ts';
import { usePageTitle } from '../ui/use-page-title.ts';

interface HomePageProps {
  title: ReactNode;
  /** Beside the title: the number of items. */
  count?: string | undefined;
  /** Buttons at the right, the main one last. */
  actions?: ReactNode;
  /** Whether it has something to show; until then nothing else is loaded. */
  isReady?: boolean;
  children: ReactNode;
}

/** A screen other than the editor: a bar with its name and buttons, the content. */
export function HomePage({ title, count, actions, isReady = true, children }: HomePageProps) {
  useEffect(() => {
    if (isReady) tellFirstPicture();
  }, [isReady]);
  const heading = useRef<HTMLElement>(null);
  const [words, setWords] = useState<string>();
  // A title that is more than a text, such as the name of a document that is still loading, says it when it is there.
  useEffect(() => setWords(heading.current?.textContent));
  usePageTitle(typeof title === 'string' ? title : words);
  return (
    <>
      <header className="flex min-h-13 shrink-0 flex-wrap items-center gap-2 border-b border-line bg-surface px-4 py-2.5">
        <h1 className="mr-auto flex min-w-0 items-baseline text-base font-semibold">
          <bdi ref={heading} className="truncate">
            {title}
          </bdi>
          {count !== undefined && (
            <span className="ml-2 shrink-0 text-xs font-normal text-text-2">{count}</span>
          )}
        </h1>
        {actions}
      </header>
      <main className="min-h-0 flex-1 overflow-y-auto bg-surface-2">
        <div className="flex min-h-full max-w-360 flex-col gap-3 p-4">{children}</div>
      </main>
    </>
  );
}
