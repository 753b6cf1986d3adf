"""Run eight retrieval systems on the questions of this folder and write `responses.csv`.

    python run.py                    regenerate, with the date that `responses.csv` records
    python run.py --at DATE-TIME     the first run: the date-time that goes into `responses.csv`
    python run.py --practice         print the outcome on the ten practice questions only

Rules, all fixed before the first run on the questions:

* A system scores every page and returns the best three; equal scores go by page id.
* It abstains when its best score is not above its threshold. The threshold comes from the pages
  alone: each sentence of each page is searched for while all pages of its topic are left out, so
  that nothing right can be found; the threshold is the smallest score that at least nine tenths of
  these best scores do not exceed. No question of the test was used for it.
* locate: right if it does not abstain and its first page is the one that answers.
* reconcile: right if it does not abstain and both pages that disagree are among its three.
* missing: right if it abstains.

The same files and library versions give the same bytes: one thread, no random numbers, scores
rounded to six decimals before they are compared. Needs the extra `examples`.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import bm25s
import numpy as np
import yaml
from rapidfuzz import fuzz
from sklearn.feature_extraction.text import TfidfVectorizer
from threadpoolctl import threadpool_limits

FOLDER = Path(__file__).resolve().parent
TOKEN = r"[a-z0-9_]+"
UNANSWERABLE_LEFT_BELOW = 0.9
RETURNED = 3
COLUMNS = ("system", "item", "task", "score", "status", "returned", "date")

Score = Callable[[str], np.ndarray]
"""From a question to one score for each page, larger = closer."""


@dataclass(frozen=True)
class Page:
    id: str
    title: str
    topic: str
    text: str

    @property
    def whole(self) -> str:
        return f"{self.title}. {self.text}"

    @property
    def sentences(self) -> list[str]:
        return [one for one in re.split(r"(?<=[.:;])\s+", self.text) if len(one.split()) >= 4]


def read_pages() -> list[Page]:
    declared = yaml.safe_load((FOLDER / "documents.yaml").read_text(encoding="utf-8"))
    return [
        Page(name, page["title"], page["topic"], page["text"])
        for name, page in sorted(declared.items())
    ]


def read_questions(name: str) -> list[dict]:
    lines = (FOLDER / name).read_text(encoding="utf-8").splitlines()
    return sorted((json.loads(line) for line in lines), key=lambda one: one["id"])


def tokens(text: str) -> list[str]:
    return re.findall(TOKEN, text.lower())


# ------------------------------------------------------------------------------------ the systems


def bm25(pages: Sequence[Page], title_times: int) -> Score:
    """BM25 (Lucene's form, k1 = 1.5, b = 0.75), divided by the number of words asked for."""
    corpus = [tokens(page.title) * title_times + tokens(page.text) for page in pages]
    index = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
    index.index(corpus, show_progress=False)
    known = {word for page in corpus for word in page}

    def score(question: str) -> np.ndarray:
        asked = tokens(question)
        found = [word for word in asked if word in known]
        if not found:
            return np.zeros(len(pages))
        return np.asarray(index.get_scores(found), dtype=float) / len(asked)

    return score


def word_vectors() -> TfidfVectorizer:
    return TfidfVectorizer(token_pattern=TOKEN, sublinear_tf=True)


def cosine(pages: Sequence[Page], vectors: TfidfVectorizer) -> Score:
    """Cosine of TF-IDF vectors."""
    matrix = vectors.fit_transform([page.whole for page in pages])

    def score(question: str) -> np.ndarray:
        return (matrix @ vectors.transform([question]).T).toarray().ravel()

    return score


def latent(pages: Sequence[Page], dimensions: int) -> Score:
    """Cosine after projection on the first singular vectors of the TF-IDF matrix."""
    vectors = word_vectors()
    matrix = vectors.fit_transform([page.whole for page in pages]).toarray()
    _, _, right = np.linalg.svd(matrix, full_matrices=False)
    basis = right[:dimensions].T

    def unit(rows: np.ndarray) -> np.ndarray:
        length = np.linalg.norm(rows, axis=1, keepdims=True)
        return rows / np.where(length > 0, length, 1.0)

    reduced = unit(matrix @ basis)

    def score(question: str) -> np.ndarray:
        return reduced @ unit(vectors.transform([question]).toarray() @ basis)[0]

    return score


def fuzzy_titles(pages: Sequence[Page]) -> Score:
    """Likeness of the question to the page's title, word order ignored."""
    titles = [" ".join(tokens(page.title)) for page in pages]

    def score(question: str) -> np.ndarray:
        asked = " ".join(tokens(question))
        return np.array([fuzz.token_set_ratio(asked, title) for title in titles]) / 100

    return score


def fuzzy_sentences(pages: Sequence[Page]) -> Score:
    """Likeness of the question to the page's closest sentence, word order ignored."""
    parts = [[" ".join(tokens(one)) for one in (page.title, *page.sentences)] for page in pages]

    def score(question: str) -> np.ndarray:
        asked = " ".join(tokens(question))
        return (
            np.array([max(fuzz.token_sort_ratio(asked, p) for p in page) for page in parts]) / 100
        )

    return score


SYSTEMS: dict[str, Callable[[Sequence[Page]], Score]] = {
    "bm25-text": lambda pages: bm25(pages, title_times=1),
    "bm25-title3": lambda pages: bm25(pages, title_times=3),
    "tfidf-words": lambda pages: cosine(pages, word_vectors()),
    "tfidf-chars": lambda pages: cosine(
        pages, TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True)
    ),
    "lsi-8": lambda pages: latent(pages, 8),
    "lsi-16": lambda pages: latent(pages, 16),
    "fuzzy-titles": fuzzy_titles,
    "fuzzy-sentences": fuzzy_sentences,
}


# ------------------------------------------------------------------------------------- one answer


def threshold(pages: Sequence[Page], score: Score) -> float:
    """Best score of what cannot be found, not exceeded by nine tenths of the sentences."""
    topics = np.array([page.topic for page in pages])
    best = [
        np.round(score(sentence), 6)[topics != page.topic].max()
        for page in pages
        for sentence in page.sentences
    ]
    return float(np.quantile(best, UNANSWERABLE_LEFT_BELOW, method="inverted_cdf"))


def search(pages: Sequence[Page], score: Score, bar: float, question: str) -> list[str]:
    """Ids of the first pages; empty when the system abstains."""
    scores = np.round(score(question), 6)
    order = sorted(range(len(pages)), key=lambda place: (-scores[place], pages[place].id))
    if not scores[order[0]] > bar:
        return []
    return [pages[place].id for place in order[:RETURNED]]


def is_right(question: dict, returned: list[str]) -> bool:
    match question["task"]:
        case "locate":
            return returned[:1] == question["pages"]
        case "reconcile":
            return set(question["pages"]) <= set(returned)
        case _:
            return not returned


def run(pages: Sequence[Page], questions: list[dict], at: str) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for name in sorted(SYSTEMS):
        score = SYSTEMS[name](pages)
        bar = threshold(pages, score)
        for question in questions:
            returned = search(pages, score, bar, question["text"])
            right = int(is_right(question, returned))
            status = "ok" if returned else "refused"
            pages_text = " ".join(returned)
            writer.writerow((name, question["id"], question["task"], right, status, pages_text, at))
    return text.getvalue().encode()


def item_table(questions: list[dict]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("item", "task", "cluster", "text"))
    for one in questions:
        writer.writerow((one["id"], one["task"], one["topic"], one["text"]))
    return text.getvalue().encode()


def recorded_date(path: Path) -> str:
    with path.open(encoding="utf-8", newline="") as stream:
        return next(csv.DictReader(stream))["date"]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--at", help="date-time with zone of the first run")
    parser.add_argument("--practice", action="store_true", help="only the practice questions")
    parser.add_argument("--items", action="store_true", help="only write items.csv")
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder to write to")
    with threadpool_limits(1):
        return write(parser.parse_args(arguments))


def write(chosen: argparse.Namespace) -> int:
    if chosen.practice:
        print(run(read_pages(), read_questions("practice.jsonl"), "practice").decode(), end="")
        return 0
    questions = read_questions("questions.jsonl")
    (chosen.out / "items.csv").write_bytes(item_table(questions))
    if not chosen.items:
        at = chosen.at or recorded_date(FOLDER / "responses.csv")
        (chosen.out / "responses.csv").write_bytes(run(read_pages(), questions, at))
    return 0


if __name__ == "__main__":
    sys.exit(main())
