"""Numbers in addresses and forms, within the bounds that every database can hold."""

from typing import Annotated

from annotated_types import Ge, Lt

Id = Annotated[int, Ge(1), Lt(2**31)]
IdOrNone = Annotated[int, Ge(0), Lt(2**31)]  # 0: none was given
