import { type ReactNode, useEffect, useRef, useState } from 'react';
import { HomeBar } from './HomeBar.tsx';
import { tellFirstPicture } from '../ui/first-picture.ts';
import { usePageTitle } from '../ui/use-page-title.ts';

interface HomePageProps {
  title: ReactNode;
  /** Beside the title: the number of items. */
  count?: string | undefined;
  /** Buttons at the right, the main one last. */
  actions?: ReactNode;
  children: ReactNode;
}

/** A screen other than the editor: the bar, a heading with its buttons, the content. */
export function HomePage({ title, count, actions, children }: HomePageProps) {
  useEffect(tellFirstPicture, []);
  const heading = useRef<HTMLElement>(null);
  const [words, setWords] = useState<string>();
  // A title that is more than a text, such as the name of a document that is still loading, says it when it is there.
  useEffect(() => setWords(heading.current?.textContent));
  usePageTitle(typeof title === 'string' ? title : words);
  return (
    <>
      <HomeBar />
      <main className="min-h-0 flex-1 overflow-y-auto bg-surface-2">
        <div className="mx-auto flex min-h-full max-w-300 flex-col gap-3 px-4 py-5">
          <div className="flex flex-wrap items-center gap-2">
            <h1 className="mr-auto text-lg font-semibold">
              <bdi ref={heading}>{title}</bdi>
              {count !== undefined && <span className="ml-2 text-xs font-normal text-text-2">{count}</span>}
            </h1>
            {actions}
          </div>
          {children}
        </div>
      </main>
    </>
  );
}
