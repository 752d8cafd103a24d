"""What C holds for an object of Python until it is closed."""
from typing import Any, TypeVar

Self = TypeVar("Self", bound="Held")


class Held:
    """_at: where it is, None when closed; _lock: around each call into C; _program: that it is of; _what: its name."""
    _at: Any
    _lock: Any
    _program: Any
    _what: str

    def _give_back(self, at: Any) -> None:
        raise NotImplementedError

    def close(self) -> None:
        """Gives its memory back; any use after it is an error."""
        with self._lock:
            at, self._at = self._at, None
        if at:
            self._give_back(at)
            self._program.give_back()

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_at", None):
            self.close()

    def _alive(self) -> Any:
        if not self._at:
            raise ValueError(f"the {self._what} is closed")
        return self._at
