/** The shape of the editor while a flow is being opened, so that nothing jumps when it is there. */
export function EditorSkeleton() {
  return (
    <main aria-busy className="flex h-full min-h-0 flex-1 flex-col">
      <div className="flex h-13 shrink-0 items-center gap-3 border-b border-line bg-surface px-4">
        <Block className="w-36" />
        <Block className="w-16 max-sm:hidden" />
        <Block className="ml-auto w-24" />
        <Block className="w-20" />
      </div>
      <div className="flex min-h-0 flex-1 bg-canvas">
        <p role="status" className="m-auto text-text-2">
          Opening the flow…
        </p>
        <div className="flex w-90 flex-col gap-3 border-l border-line bg-surface p-4 max-lg:hidden">
          <Block className="w-40" />
          <Block className="w-full" />
          <Block className="w-4/5" />
        </div>
      </div>
    </main>
  );
}

function Block({ className }: { className: string }) {
  return <span aria-hidden className={`h-4 rounded-md bg-surface-3 ${className}`} />;
}
