// Finds sections of the pages. The index is a script, because pages of file:// may not fetch.
(() => {
  const field = document.querySelector('#search');
  const list = document.querySelector('#found');
  const root = document.documentElement.dataset.root;
  let index;

  const open = () => {
    index ??= MiniSearch.loadJS(window.searchIndex, window.searchOptions);
    return index;
  };

  const show = () => {
    const words = field.value.trim();
    const hits = words ? open().search(words).slice(0, 12) : [];
    list.replaceChildren(
      ...hits.map((hit) => {
        const item = document.createElement('li');
        const link = document.createElement('a');
        link.href = root + hit.address;
        link.textContent = hit.heading;
        const where = document.createElement('small');
        where.textContent = hit.page;
        link.append(where);
        item.append(link);
        return item;
      }),
    );
    list.hidden = !words;
    if (words && !hits.length) list.textContent = 'Nothing found';
  };

  field.addEventListener('input', show);
  document.addEventListener('keydown', (event) => {
    if (event.key === '/' && document.activeElement !== field) {
      event.preventDefault();
      field.focus();
    } else if (event.key === 'Escape') {
      field.value = '';
      show();
      field.blur();
    } else if (event.key === 'ArrowDown' && !list.hidden) {
      const links = [...list.querySelectorAll('a')];
      links[(links.indexOf(document.activeElement) + 1) % links.length]?.focus();
      event.preventDefault();
    }
  });

  document.querySelector('#theme').addEventListener('click', () => {
    const dark = getComputedStyle(document.documentElement).colorScheme.includes('dark');
    document.documentElement.dataset.theme = dark ? 'light' : 'dark';
  });
})();
