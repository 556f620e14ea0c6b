import type { OperatorInfo } from '#shared/catalog.ts';
import { OperatorIcon } from '../ui/OperatorIcon.tsx';

/** The description without code marks, which do not fit a single line. */
export function docLine(info: OperatorInfo): string {
  return info.doc.replaceAll('`', '');
}

/** Icon, title and description, on two lines. */
export function OperatorLine({ info }: { info: OperatorInfo }) {
  return (
    <>
      <OperatorIcon info={info} />
      <span className="min-w-0 flex-1">
        <span className="flex items-center gap-1.5 leading-4.5">
          <bdi className="truncate font-medium">{info.title}</bdi>
          {info.package !== undefined && (
            <span className="max-w-1/2 shrink-0 truncate text-[11px] text-text-2">{info.package}</span>
          )}
        </span>
        <span className="block truncate text-[11px] leading-4 text-text-2">{docLine(info)}</span>
      </span>
    </>
  );
}
