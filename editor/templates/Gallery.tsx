import { useQuery } from '@tanstack/react-query';
import { SearchX } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { type Template, TEMPLATE_PURPOSES } from '#shared/template.ts';
import { listTemplates, readShop } from '../api/templates.ts';
import { Badge } from '../ui/Badge.tsx';
import { Button } from '../ui/Button.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Spinner } from '../ui/Spinner.tsx';
import { sectionTitle } from '../ui/styles.ts';
import { FlowPicture } from './FlowPicture.tsx';
import { matches, PURPOSE_TITLES } from './template-list.ts';

const TemplateDialog = lazy(() =>
  import('./TemplateDialog.tsx').then((file) => ({ default: file.TemplateDialog })),
);

interface GalleryProps {
  query?: string;
  /** Only those; all if there are none. */
  purposes?: readonly string[];
  /** Shows all again. */
  onAll?(): void;
}

/** The templates as cards, by purpose: what each looks like, does and needs. */
export function Gallery({ query = '', purposes = [], onAll }: GalleryProps) {
  const { data, error, refetch } = useQuery({ queryKey: ['templates'], queryFn: listTemplates });
  // Its dialog offers what ships with Weft at once.
  useQuery({ queryKey: ['shop'], queryFn: readShop });
  const [chosen, setChosen] = useState<Template>();
  if (error) {
    return (
      <EmptyState
        icon={SearchX}
        title="The templates could not be loaded"
        steps={[]}
        action={<Button onClick={() => void refetch()}>Try again</Button>}
      >
        {error.message}
      </EmptyState>
    );
  }
  if (!data) return <Spinner label="Loading the templates" className="m-6 size-6" />;
  const found = data.filter(
    (one) => (purposes.length === 0 || purposes.includes(one.purpose)) && matches(one, query),
  );
  if (found.length === 0) {
    return (
      <EmptyState
        icon={SearchX}
        title="No template matches"
        steps={[]}
        action={<Button onClick={onAll}>Show all</Button>}
      >
        The search looks at titles, descriptions, needs and other words for them.
      </EmptyState>
    );
  }
  return (
    <>
      {TEMPLATE_PURPOSES.map((one) => {
        const group = found.filter((template) => template.purpose === one);
        if (group.length === 0) return null;
        return (
          <section key={one} aria-label={PURPOSE_TITLES[one]} className="flex flex-col gap-2">
            <h2 className={sectionTitle}>{PURPOSE_TITLES[one]}</h2>
            <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(17rem,100%),1fr))] gap-3">
              {group.map((template) => (
                <Card key={template.id} template={template} onUse={() => setChosen(template)} />
              ))}
            </ul>
          </section>
        );
      })}
      <Suspense fallback={null}>
        {chosen && <TemplateDialog template={chosen} onClose={() => setChosen(undefined)} />}
      </Suspense>
    </>
  );
}

function Card({ template, onUse }: { template: Template; onUse(): void }) {
  const { title, text, needs, flow, layout } = template;
  return (
    <li className="relative flex flex-col overflow-hidden rounded-lg border border-line bg-surface focus-within:border-accent hover:border-line-strong">
      <div className="h-32 border-b border-line bg-surface-2 p-2">
        <FlowPicture flow={flow} layout={layout} label={`What “${title}” looks like`} />
      </div>
      <div className="flex flex-1 flex-col gap-1.5 p-3">
        <h3 className="font-semibold">
          {/* The whole card is the button. */}
          <button
            type="button"
            onClick={onUse}
            className="text-left after:absolute after:inset-0 after:rounded-lg focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-accent"
          >
            {title}
          </button>
        </h3>
        <p className="flex-1 text-xs text-text-2">{text}</p>
        <ul aria-label={`What “${title}” needs`} className="flex flex-wrap gap-1">
          {needs.length === 0 && (
            <li>
              <Badge>Needs nothing</Badge>
            </li>
          )}
          {needs.map((need) => (
            <li key={need.name}>
              <Badge>{need.title}</Badge>
            </li>
          ))}
        </ul>
      </div>
    </li>
  );
}
