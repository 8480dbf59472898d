import type { VNode } from 'preact';

/** A field with its name above it. */
export function Field({
  label,
  children,
}: {
  readonly label: string;
  readonly children: VNode;
}): VNode {
  return (
    <div class="labelled">
      <div class="field-label">{label}</div>
      {children}
    </div>
  );
}
