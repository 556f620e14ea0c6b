import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Clock, type LucideIcon, Star } from 'lucide-react';
import { withoutDirectionMarks } from '#shared/direction-marks.ts';
import { listFlows } from '../api/flows.ts';
import { useAppUi } from '../session/app-context.tsx';

const MOST = 5;

/** The flows that a person has marked, and those opened last. */
export function FlowLinks() {
  const favourites = useAppUi((state) => state.favourites);
  const recent = useAppUi((state) => state.recentFlows);
  const others = recent.filter((id) => !favourites.includes(id));
  return (
    <>
      <Links title="Favourites" icon={Star} ids={favourites} />
      <Links title="Recent" icon={Clock} ids={others} />
    </>
  );
}

function Links({ title, icon: Icon, ids }: { title: string; icon: LucideIcon; ids: readonly string[] }) {
  const { data: flows = [] } = useQuery({
    queryKey: ['flows'],
    queryFn: listFlows,
    enabled: ids.length > 0,
  });
  const known = ids.flatMap((id) => flows.find((flow) => flow.id === id) ?? []).slice(0, MOST);
  if (known.length === 0) return null;
  return (
    <div role="group" aria-label={title} className="flex shrink-0 flex-col gap-0.5">
      <p aria-hidden className="px-2.5 pb-0.5 text-[11px] font-medium text-text-2">
        {title}
      </p>
      {known.map(({ id, name }) => (
        <Link
          key={id}
          to="/flows/$id"
          params={{ id }}
          className="flex h-8 shrink-0 items-center gap-2.5 rounded-md px-2.5 text-text-2 hover:bg-surface-3 hover:text-text"
        >
          <Icon aria-hidden className="size-4 shrink-0" />
          <bdi className="min-w-0 truncate">{withoutDirectionMarks(name ?? id)}</bdi>
        </Link>
      ))}
    </div>
  );
}
