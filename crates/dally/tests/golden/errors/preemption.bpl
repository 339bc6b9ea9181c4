// The arguments of these attributes are levels.
procedure {:noyield} {:nozield 1, 2} fine()
{
}

procedure {:noyield -1} {:nozield "all"} wrong()
{
}
