// The service worker of the page that grocery serve offers: it opens the page without network.
// SPDX-License-Identifier: Apache-2.0
'use strict';
const PAGE = 'grocery-page-@VERSION@';
const PICTURES = 'grocery-pictures';
const MOST_PICTURES = 200;
// A network that is there and carries nothing is worse than none. In milliseconds.
const PATIENCE = 3000;

self.addEventListener('install', event => event.waitUntil((async () => {
  const cache = await caches.open(PAGE);
  await cache.addAll(['/', '/manifest.webmanifest', '/icon.svg'].map(path => new Request(path, { cache: 'reload' })));
  await self.skipWaiting();
})()));

self.addEventListener('activate', event => event.waitUntil((async () => {
  for (const name of await caches.keys()) if (name !== PAGE && name !== PICTURES) await caches.delete(name);
  await self.clients.claim();
})()));

self.addEventListener('fetch', event => {
  const request = event.request;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== self.location.origin) return;
  if (request.mode === 'navigate' && url.pathname === '/') event.respondWith(page(event));
  else if (url.pathname === '/icon.svg' || url.pathname === '/manifest.webmanifest') event.respondWith(asset(request));
  else if (/^\/api\/items\/[^/]+\/picture$/.test(url.pathname) && url.search) event.respondWith(picture(event));
});

// The newest page if the network answers in time, else the one that was kept.
async function page(event) {
  const cache = await caches.open(PAGE);
  const fresh = fetch(event.request).then(async response => {
    if (response.ok) await cache.put('/', response.clone());
    return response;
  });
  event.waitUntil(fresh.catch(() => {}));
  const late = new Promise((_, failed) => setTimeout(() => failed(new Error('slow')), PATIENCE));
  try {
    const response = await Promise.race([fresh, late]);
    if (response.status < 500) return response;
  } catch {}
  return await cache.match('/') ?? fresh;
}

async function asset(request) {
  return await (await caches.open(PAGE)).match(new URL(request.url).pathname) ?? fetch(request);
}

// The address of a picture has its time, so a picture that is kept is right.
async function picture(event) {
  const cache = await caches.open(PICTURES);
  const known = await cache.match(event.request);
  if (known) return known;
  const response = await fetch(event.request);
  if (response.ok) {
    const copy = response.clone();
    event.waitUntil((async () => {
      await cache.put(event.request, copy);
      const keys = await cache.keys();
      for (const key of keys.slice(0, Math.max(0, keys.length - MOST_PICTURES))) await cache.delete(key);
    })());
  }
  return response;
}
