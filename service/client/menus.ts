/** Closes menus by Escape, by a click elsewhere, and when another one opens. They open without scripts. */
export function closeMenus(): void {
  const openMenus = (): NodeListOf<HTMLDetailsElement> =>
    document.querySelectorAll<HTMLDetailsElement>('details.menu[open]');
  document.addEventListener('click', ({ target }) => {
    for (const menu of openMenus()) {
      if (target instanceof Node && !menu.contains(target)) {
        menu.open = false;
      }
    }
  });
  document.addEventListener('keydown', ({ key }) => {
    const [menu] = openMenus();
    if (key === 'Escape' && menu !== undefined) {
      menu.open = false;
      menu.querySelector('summary')?.focus();
    }
  });
}
